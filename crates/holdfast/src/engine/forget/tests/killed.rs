//! A process that is killed over an erasure, with SIGKILL, after any of the calls that it makes of the store: the next one ends what it began.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use super::*;

const DIRECTORY: &str = "HOLDFAST_FORGET_DIRECTORY";
/// At which call to the store it stops to be killed.
const CALL: &str = "HOLDFAST_FORGET_CALL";
/// Everything, or the session.
const EVERYTHING: &str = "HOLDFAST_FORGET_EVERYTHING";

const MARKER: &str = "Marlow-7781-kelp-余杭";
const NAME: &str = "ana-7731-kelp";

/// Events that take two commits to go.
const EVENTS: usize = 120;

/// From its first commit on, an erasure makes about so many calls: what it read before changed nothing.
const CALLS_THAT_CHANGE: u64 = 16;

fn selection(everything: bool) -> Selection {
    if everything { Selection::Everything } else { Selection::Session(id("told")) }
}

#[test]
#[ignore = "the child of the test below"]
fn child() {
    let (Ok(directory), Ok(call)) = (std::env::var(DIRECTORY), std::env::var(CALL)) else { return };
    let plan = BTreeMap::from([(call.parse().expect("a number"), Fault::Stopped)]);
    let (engine, _store) = opened(Path::new(&directory), 2, plan);
    let selection = selection(std::env::var(EVERYTHING).is_ok());
    engine.expect("an engine").forget(&user(NAME), &request(selection)).expect("an erasure");
    println!("\n@done");
}

/// `false`: it came to its end before.
fn killed(directory: &Path, call: u64, everything: bool) -> bool {
    let mut command = Command::new(std::env::current_exe().expect("this binary"));
    command.args(["--exact", "engine::forget::tests::killed::child", "--ignored", "--nocapture"]);
    command.env(DIRECTORY, directory).env(CALL, call.to_string()).stdout(Stdio::piped()).stderr(Stdio::null());
    if everything {
        command.env(EVERYTHING, "yes");
    }
    let mut process = command.spawn().expect("a child");
    let lines = BufReader::new(process.stdout.take().expect("its output")).lines();
    let said = lines.map_while(Result::ok).find_map(|line| line.strip_prefix('@').map(str::to_owned));
    process.kill().expect("it is killed");
    process.wait().expect("it is gone");
    said.expect("it stopped, or came to its end") == "stopped"
}

fn copied(from: &Path) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for file in std::fs::read_dir(from).expect("a directory") {
        let path = file.expect("a file").path();
        std::fs::copy(&path, directory.path().join(path.file_name().expect("a name"))).expect("a copy");
    }
    directory
}

#[test]
fn an_erasure_that_was_killed_is_ended() {
    for everything in [false, true] {
        let told = tempfile::tempdir().expect("a directory");
        let mine = user(NAME);
        {
            let (engine, store) = open(told.path(), 0);
            tell_little(&engine, &*store, &mine, MARKER);
            for n in 0..EVENTS {
                let text = format!("第{n}份报表发给「{MARKER}」, report {n} goes to {MARKER}.");
                engine
                    .observe(RawEvent::new(at(&mine, "told"), Source::Tool, Kind::ToolResult, text))
                    .expect("an event");
            }
            engine
                .observe(RawEvent::new(at(&user("other"), "s"), Source::User, Kind::Note, "stays"))
                .expect("an event");
        }
        let (whole, calls) = {
            let directory = copied(told.path());
            let (engine, store) = open(directory.path(), 2);
            let whole = store.inner().status().expect("a status").events;
            engine.forget(&mine, &request(selection(everything))).expect("an erasure");
            (whole, store.calls())
        };
        let (mut stopped, mut begun) = (0, 0);
        for call in calls.saturating_sub(CALLS_THAT_CHANGE)..calls {
            let directory = copied(told.path());
            assert!(killed(directory.path(), call, everything), "call {call} of {calls}");
            stopped += 1;
            let (engine, store) = open(directory.path(), 3);
            assert!(store.unfinished_erasures().expect("a look").is_empty());
            // Killed before its first commit it is not begun, and nothing is gone.
            if engine.status().expect("a status").events == whole {
                erase(&engine, &mine, selection(everything));
            } else {
                begun += 1;
            }
            assert_eq!(residues(directory.path(), MARKER), Vec::<String>::new(), "call {call} of {calls}");
            if everything {
                assert_eq!(residues(directory.path(), NAME), Vec::<String>::new(), "call {call} of {calls}");
            }
            engine.dump(&mut std::io::sink()).expect("a valid store");
            assert_eq!(engine.status().expect("a status").events, 1, "the other's stays");
        }
        assert_eq!(stopped, CALLS_THAT_CHANGE);
        assert!(begun >= 8, "{begun} of {stopped}");
    }
}
