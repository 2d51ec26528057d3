//! A whole file of real trajectories: 200 conversations with tool calls, where it is at hand (../shared/data).

use crate::{Place, root};

#[test]
fn two_hundred_real_trajectories() {
    let file = ["../shared/data", "../../shared/data"]
        .iter()
        .map(|data| root().join(data).join("tau_bench/gpt-4o-airline.json"))
        .find(|file| file.exists());
    let Some(file) = file else {
        eprintln!("skipped: ../shared/data/tau_bench is not here");
        return;
    };
    let place = Place::new();
    let replay =
        ["--json", "replay", file.to_str().unwrap(), "--no-embed", "--ask", "change my flight", "--budget", "1000"];
    let ran = place.run(&replay).ok();
    let json = ran.json();
    assert!(json["recorded"].as_u64().unwrap() > 4_000, "{}", ran.stderr);
    assert_eq!(json["unread"]["count"], 0);
    assert!(json["block"]["tokens"].as_u64().unwrap() <= 1_000);
    let again = place.run(&replay).ok().json();
    assert_eq!((&again["recorded"], &again["known"]), (&0.into(), &json["recorded"]));
    place.run(&["dump"]).ok();
}
