//! The page that says how to write an application shows the files as they are.

const PAGE: &str = include_str!("../../../docs/how-to/own-application.md");
const FILES: [&str; 2] =
    [include_str!("../src/datagrams/cloud_game.rs"), include_str!("../src/datagrams/mod.rs")];

#[test]
fn what_the_page_shows_stands_in_the_files() {
    let blocks: Vec<&str> =
        PAGE.split("```rust\n").skip(1).filter_map(|text| text.split("```").next()).collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        let block = block.trim_end();
        assert!(FILES.iter().any(|file| file.contains(block)), "no file has\n{block}");
    }
}
