//! The files that a scenario names: where they are looked for, what they must be, and what is kept of them.

use aqmlab_scenario::Scenario;
use std::fs;
use std::path::{Path, PathBuf};

const TEXT: &str = r#"name = "sizes"
duration_s = 10.0
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 50 }
[users]
per_side = 3
model = { model = "unc", response_bytes_cdf_file = "sizes.cdf" }
"#;

const KEY: &str = "users.model.response_bytes_cdf_file";

/// A folder of a test's own, empty.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("files").join(test);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn read(folder: &Path) -> Result<Scenario, String> {
    Scenario::from_toml_in(folder, TEXT, "le.toml", &[]).map_err(|error| error.to_string())
}

#[test]
fn a_file_is_looked_for_beside_the_scenario_and_kept_with_its_text() {
    let here = folder("beside");
    fs::write(here.join("sizes.cdf"), "100\t0.5\r\n200 1\n").unwrap();
    let scenario = read(&here).unwrap();
    assert_eq!(scenario.document().files["sizes.cdf"], "100\t0.5\r\n200 1\n");
    fs::remove_file(here.join("sizes.cdf")).unwrap();
    let again = Scenario::from_json(&scenario.to_json()).unwrap();
    assert_eq!(again, scenario, "a resolved scenario needs no file");
    let longer = again.with_overrides_in(&here, &[("duration_s".into(), "20".into())]).unwrap();
    assert_eq!(longer.document().files, scenario.document().files);
    assert_eq!(longer.uncongested_twin().unwrap().document().files, scenario.document().files);
}

#[test]
fn the_same_name_in_another_folder_is_another_scenario() {
    let (one, other) = (folder("one"), folder("other"));
    fs::write(one.join("sizes.cdf"), "100 1\n").unwrap();
    fs::write(other.join("sizes.cdf"), "200 1\n").unwrap();
    assert_ne!(read(&one).unwrap().to_json(), read(&other).unwrap().to_json());
}

#[test]
fn an_absolute_path_is_taken_as_it_is() {
    let here = folder("absolute");
    let path = here.join("elsewhere.cdf");
    fs::write(&path, "300 1\n").unwrap();
    let text = TEXT.replace("sizes.cdf", path.to_str().unwrap());
    let scenario = Scenario::from_toml_in(&folder("empty"), &text, "le.toml", &[]).unwrap();
    assert_eq!(scenario.document().files.values().collect::<Vec<_>>(), ["300 1\n"]);
}

#[test]
fn an_override_may_name_another_file_and_the_first_is_forgotten() {
    let here = folder("override");
    fs::write(here.join("sizes.cdf"), "100 1\n").unwrap();
    fs::write(here.join("others.cdf"), "200 1\n").unwrap();
    let set = [(KEY.to_owned(), "others.cdf".to_owned())];
    let scenario = read(&here).unwrap().with_overrides_in(&here, &set).unwrap();
    assert_eq!(scenario.document().files.keys().collect::<Vec<_>>(), ["others.cdf"]);
    assert_eq!(scenario, Scenario::from_toml_in(&here, TEXT, "le.toml", &set).unwrap());
}

#[test]
fn the_text_of_a_file_may_stand_in_the_scenario() {
    let text = format!("{TEXT}[files]\n\"sizes.cdf\" = \"100 1\\n\"\n");
    let scenario = Scenario::from_toml(&text, "le.toml", &[]).unwrap();
    assert_eq!(scenario.document().files["sizes.cdf"], "100 1\n");
    let said = |text: &str| Scenario::from_toml(text, "le.toml", &[]).unwrap_err().to_string();
    assert_eq!(
        said(&format!("{text}\"unused.cdf\" = \"100 1\"\n")),
        "le.toml:9: files: the text of \"unused.cdf\", which no ..._file key names, nor any scheme, traffic model or controller"
    );
    assert_eq!(
        said(TEXT),
        "le.toml:8: users.model.response_bytes_cdf_file: \"sizes.cdf\": its text is not there; legal: a name in \
         [files]"
    );
    assert!(said(&text.replace("100 1", "100 2")).contains("\"sizes.cdf\", line 1: "));
}

/// Each refusal names the scenario's line, the key, the file, and where it can be told the file's line.
#[test]
fn what_is_no_law_is_refused_when_the_scenario_is_read() {
    let here = folder("refused");
    let file = here.join("sizes.cdf");
    let place = "le.toml:8: users.model.response_bytes_cdf_file: \"sizes.cdf\"";
    let law = "; legal: lines of a value and its cumulative share, both never decreasing, the last share 1";
    for (content, wrong) in [
        ("bytes share\n1 1\n", ", line 1: expected a value and a cumulative share, found \"bytes share\""),
        ("1 0.5 junk\n2 1\n", ", line 1: expected a value and a cumulative share, found \"1 0.5 junk\""),
        (
            "# sizes\n5 0.5\n4 1\n",
            ", line 3: values and cumulative shares must not decrease, and shares lie in 0 to 1",
        ),
        ("5 0.5\n6 0.75\n", ", line 2: the last cumulative share is 0.75, it must be 1"),
        ("", ": the table holds no value"),
        ("1e13 1\n", ", line 1: value 10000000000000, legal are 0 to 1000000000000"),
    ] {
        fs::write(&file, content).unwrap();
        assert_eq!(read(&here).unwrap_err(), format!("{place}{wrong}{law}"), "{content}");
    }
    let file_name = file.display();
    let refused = |wrong: &str| {
        let legal = "a text file of at most 16 MiB, its path absolute or seen from the scenario's folder";
        assert_eq!(read(&here).unwrap_err(), format!("{place}: {wrong}; legal: {legal}"));
    };
    fs::write(&file, b"1 0.5\n2 \xff\n").unwrap();
    refused(&format!("{file_name}, line 2: not UTF-8 text"));
    fs::write(&file, "1 0.5\n# \u{1b}[2J\n2 1\n").unwrap();
    refused(&format!("{file_name}, line 2: a control character"));
    fs::write(&file, vec![b'#'; (16 << 20) + 1]).unwrap();
    refused(&format!("{file_name} has 16777217 bytes"));
    fs::File::create(&file).unwrap().set_len(8_000_000_000).unwrap();
    refused(&format!("{file_name} has 8000000000 bytes"));
    fs::remove_file(&file).unwrap();
    refused(&format!("there is no file {file_name}"));
    fs::create_dir(&file).unwrap();
    refused(&format!("{file_name} is a folder"));
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_opened() {
    let here = folder("devices");
    let pipe = here.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [pipe.to_str().unwrap(), "/dev/zero"] {
        let text = TEXT.replace("sizes.cdf", path);
        let error = Scenario::from_toml_in(&here, &text, "le.toml", &[]).unwrap_err().to_string();
        assert!(error.contains("is a device, a pipe or a socket, and no file"), "{error}");
    }
}

#[test]
fn parameters_of_a_law_that_a_file_replaces_are_refused() {
    let here = folder("replaced");
    fs::write(here.join("sizes.cdf"), "100 1\n").unwrap();
    let said = |from: &str, to: &str| {
        Scenario::from_toml_in(&here, &TEXT.replace(from, to), "le.toml", &[]).unwrap_err().to_string()
    };
    assert_eq!(
        said("model = \"unc\"", "model = \"unc\", response_median_bytes = 500.0"),
        "le.toml:8: users.model.response_median_bytes: response_bytes_cdf_file goes before it; legal: \
         response_median_bytes without response_bytes_cdf_file"
    );
    let both = "top_level_response_bytes_cdf_file = \"sizes.cdf\", embedded_response_bytes_cdf_file";
    assert!(
        said("response_bytes_cdf_file", &format!("response_sigma = 1.0, {both}"))
            .contains("response_sigma: ")
    );
    let unread = format!("response_bytes_cdf_file = \"sizes.cdf\", {both}");
    assert!(said("response_bytes_cdf_file", &unread).contains("response_bytes_cdf_file: top_level_"));
    let mah = "model = \"mah\", files_per_document_mean = 3.0, files_per_document_cdf_file = \"sizes.cdf\" }";
    let wrong = said("model = \"unc\", response_bytes_cdf_file = \"sizes.cdf\" }", mah);
    assert!(wrong.contains("files_per_document_mean: files_per_document_cdf_file goes before it"), "{wrong}");
}

const VARYING: &str = r#"name = "phone"
duration_s = 10.0
[dumbbell]
rate_mbps = 12.032
rate_trace_file = "phone.trace"
queue = { scheme = "drop-tail", limit_packets = 50 }
[users]
left = 0
right = 2
model = { model = "pages" }
"#;

/// An opportunity each millisecond: 1,504 bytes in it are 12.032 Mbit/s.
fn trace(lines: u32) -> String {
    (1..=lines).map(|instant| format!("{instant}\n")).collect()
}

/// Mahimahi's traces have up to some megabytes: 3.4 MB is that of T-Mobile's LTE, down.
#[test]
fn traces_as_long_as_mahimahis_are_read() {
    let here = folder("traces");
    for lines in [1_000, 505_078, 1_100_000] {
        let text = trace(lines);
        fs::write(here.join("phone.trace"), &text).unwrap();
        let scenario = Scenario::from_toml_in(&here, VARYING, "phone.toml", &[]).unwrap();
        assert_eq!(scenario.document().files["phone.trace"].len(), text.len());
    }
}

/// What other tools wrote is named for what it is, with what can be done with it.
#[test]
fn a_file_of_another_kind_is_named() {
    let here = folder("foreign");
    let file = here.join("phone.trace");
    let said = || Scenario::from_toml_in(&here, VARYING, "phone.toml", &[]).unwrap_err().to_string();
    let har = br#"{"log": {"version": "1.2", "creator": {}, "entries": []}}"#;
    for (content, what) in [
        (&b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00"[..], "a packet capture (pcap); "),
        (&b"\x0a\x0d\x0d\x0a\x1c\x00\x00\x00\x4d\x3c\x2b\x1a"[..], "a packet capture (pcap); "),
        (&b"\x1f\x8b\x08\x00\x00\x00\x00\x00\xff"[..], "compressed; unpack it first"),
        (&b"PK\x03\x04\x14\x00\xff"[..], "a zip archive; "),
        (&b"time,mbps\n0.0,12.5\n0.1,9.0\n"[..], "a table of times and rates; "),
        (&b"0.0,12.5\n0.1,9.0\n"[..], "a table of times and rates; "),
        (&b"0 0\n1000 0.5\n2000 1\n"[..], "a table of values and cumulative shares; "),
        (har, "a HAR file; aqmlab pages import "),
        (&b"{\"start\": {\"connected\": []}, \"intervals\": []}"[..], "results of iperf3; "),
    ] {
        fs::write(&file, content).unwrap();
        let message = said();
        assert!(
            message.contains(&format!("phone.trace is {what}"))
                || message.contains(&format!("\"phone.trace\" is {what}")),
            "{message}"
        );
        assert!(message.starts_with("phone.toml:5: dumbbell.rate_trace_file: "), "{message}");
    }
    // A trace with a fault is one.
    fs::write(&file, "1\n3\n2\n").unwrap();
    assert!(said().contains("\"phone.trace\", line 3: 2 behind 3"), "{}", said());
    // What is too large is named as well: nobody would find out by its size.
    let mut capture = b"\xd4\xc3\xb2\xa1".to_vec();
    capture.resize((16 << 20) + 1, 0);
    fs::write(&file, capture).unwrap();
    assert!(said().contains("phone.trace is a packet capture"), "{}", said());
}

#[test]
fn a_file_that_is_no_scenario_is_named() {
    let said = |text: &str| Scenario::from_toml(text, "given.toml", &[]).unwrap_err().to_string();
    assert_eq!(
        said("1\n3\n3\n"),
        "given.toml: no scenario but a rate trace; rate_trace_file of a link names it"
    );
    assert!(said("{\"log\": {\"entries\": []}}").starts_with("given.toml: no scenario but a HAR file; "));
    assert!(said("a = = 1\n").starts_with("given.toml:1:5: not TOML: "), "{}", said("a = = 1\n"));
}

/// The CDFs that go with data-centre papers begin with a share of 0 and are linear between the lines.
#[test]
fn a_distribution_may_begin_at_0() {
    let here = folder("linear");
    for text in ["0 0\n10000 0.15\n30000000 1\n", "0 1 0\n6 1 0.15\n20000 1 1\n"] {
        fs::write(here.join("sizes.cdf"), text).unwrap();
        read(&here).unwrap();
    }
    fs::write(here.join("sizes.cdf"), "0 0\n10000 15\n30000000 100\n").unwrap();
    let said = read(&here).unwrap_err();
    assert!(said.contains("\"sizes.cdf\", line 2: the last share is 100: these are percentages"), "{said}");
}
