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
        "le.toml:9: files: the text of \"unused.cdf\", which no ..._file key names, nor any scheme or traffic model"
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
        let legal = "a text file of at most 1 MiB, its path absolute or seen from the scenario's folder";
        assert_eq!(read(&here).unwrap_err(), format!("{place}: {wrong}; legal: {legal}"));
    };
    fs::write(&file, b"1 0.5\n2 \xff\n").unwrap();
    refused(&format!("{file_name}, line 2: not UTF-8 text"));
    fs::write(&file, "1 0.5\n# \u{1b}[2J\n2 1\n").unwrap();
    refused(&format!("{file_name}, line 2: a control character"));
    fs::write(&file, vec![b'#'; (1 << 20) + 1]).unwrap();
    refused(&format!("{file_name} has 1048577 bytes"));
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
