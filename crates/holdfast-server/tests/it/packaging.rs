//! What Holdfast is run by where it is a service: a unit of systemd, an image of a container.

use std::fs;
use std::process::Command;

use crate::{Place, root};

fn packaged(name: &str) -> String {
    fs::read_to_string(root().join("packaging").join(name)).unwrap()
}

/// The values of a unit's key, in their order.
fn values<'a>(unit: &'a str, key: &str) -> Vec<&'a str> {
    unit.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('=')).collect()
}

#[test]
fn the_unit_starts_what_there_is_and_keeps_it_apart() {
    let unit = packaged("holdfast.service");
    for (key, value) in [
        ("DynamicUser", "yes"),
        ("StateDirectory", "holdfast"),
        ("StateDirectoryMode", "0700"),
        ("ProtectSystem", "strict"),
        ("ProtectHome", "yes"),
        ("NoNewPrivileges", "yes"),
        ("CapabilityBoundingSet", ""),
        ("MemoryDenyWriteExecute", "yes"),
        ("UMask", "0077"),
    ] {
        assert_eq!(values(&unit, key), [value], "{key}");
    }
    let [start] = values(&unit, "ExecStart")[..] else { panic!("it starts one thing") };
    let mut words = start.split_whitespace();
    assert_eq!(words.next(), Some("/usr/local/bin/holdfast"));
    let place = Place::new();
    // Each of its arguments is one of ours.
    let arguments: Vec<&str> = words.chain(["--help"]).collect();
    assert!(place.run(&arguments).ok().stdout.contains("--listen"), "{arguments:?}");

    // As systemd reads it, where there is one: with the program where it is here.
    let here = unit.replace("/usr/local/bin/holdfast", env!("CARGO_BIN_EXE_holdfast"));
    place.file("holdfast.service", here);
    match Command::new("systemd-analyze").arg("verify").arg(place.path("holdfast.service")).output() {
        Ok(ran) => {
            let told = String::from_utf8_lossy(&ran.stderr).into_owned();
            assert!(ran.status.success() && told.is_empty(), "{told}");
        }
        Err(_) => {
            assert!(unit.lines().all(|line| line.is_empty() || line.starts_with(['#', '[']) || line.contains('=')))
        }
    }
}

#[test]
fn the_image_is_made_of_what_is_there() {
    let image = packaged("Dockerfile");
    for file in ["models/e5-small-zh-en.bin", "models/NOTICE", "LICENSE-APACHE", "LICENSE-MIT"] {
        assert!(image.contains(file) && root().join(file).is_file(), "{file}");
    }
    let ignored = packaged("Dockerfile.dockerignore");
    for taken in ["Cargo.toml", "Cargo.lock", "crates", "models", "LICENSE-*"] {
        assert!(ignored.lines().any(|line| line == format!("!{taken}")), "{taken}");
    }
    let profile = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(profile.contains("[profile.dist]"));
    // The toolchain is the one that the workspace asks for.
    let version =
        profile.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap().trim_matches('"').to_owned();
    assert!(image.contains(&format!("FROM rust:{version}-")), "{version}");
    // Nobody is let in from outside without a key, and the settings are ones that are read.
    let variables = image.lines().find_map(|line| line.strip_prefix("ENV ")).unwrap();
    let place = Place::new();
    let mut command = place.command(&["serve"]);
    for (name, value) in variables.split(' ').filter_map(|pair| pair.split_once('=')) {
        command.env(name, if name == "HOLDFAST_STORE" { "/nonexistent/data" } else { value });
    }
    let ran = command.output().unwrap();
    assert!(String::from_utf8_lossy(&ran.stderr).contains("key create"), "{ran:?}");
}
