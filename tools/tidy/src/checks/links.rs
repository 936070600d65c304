//! Relative links of documents lead somewhere, and every page under `docs/` can be reached by following
//! links.

use crate::finding::Finding;
use crate::tree::Tree;
use std::collections::BTreeSet;

/// Where readers begin.
const ENTRANCES: [&str; 2] = ["README.md", "docs/README.md"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.with_extension("md") {
        for (line, target) in relative_links(text) {
            if resolve(path, target).is_none_or(|resolved| !tree.has(&resolved)) {
                findings.push(broken(path, line, target));
            }
        }
    }
    let reached = reached(tree);
    let pages = tree.with_extension("md").filter(|(path, _)| path.starts_with("docs/"));
    findings.extend(pages.filter(|(path, _)| !reached.contains(*path)).map(|(path, _)| unreached(path)));
    findings
}

/// All documents that links lead to from the entrances; a link to a folder leads to its README.
fn reached(tree: &Tree) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<String> = ENTRANCES.map(str::to_owned).to_vec();
    while let Some(path) = next.pop() {
        let Some(text) = tree.text(&path) else { continue };
        if path.ends_with(".md") && reached.insert(path.clone()) {
            let targets = relative_links(text).into_iter().filter_map(|(_, target)| resolve(&path, target));
            next.extend(targets.flat_map(|target| [format!("{target}/README.md"), target]));
        }
    }
    reached
}

/// The targets of links that are neither addresses nor places on the same page, with their lines.
fn relative_links(text: &str) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    let mut fence = None;
    for (index, line) in text.lines().enumerate() {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        if mark.is_some() && (fence.is_none() || fence == mark) {
            fence = if fence.is_none() { mark } else { None };
        } else if fence.is_none() {
            links.extend(
                targets(line).into_iter().filter(|target| is_relative(target)).map(|t| (index + 1, t)),
            );
        }
    }
    links
}

/// The targets of `[text](target)`, of `[label]: target`, and of HTML's `href` and `src`.
fn targets(line: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    for (opening, closing) in [("](", ')'), ("href=\"", '"'), ("src=\"", '"')] {
        for (at, _) in line.match_indices(opening) {
            let is_code = line[..at].matches('`').count() % 2 == 1;
            let closed = line[at + opening.len()..].split_once(closing);
            targets.extend(closed.filter(|_| !is_code).map(|(target, _)| target));
        }
    }
    let defined =
        line.split_once("]:").filter(|(label, _)| label.starts_with('[') && !label.starts_with("[^"));
    targets.extend(defined.map(|(_, target)| target));
    // A title may follow the target, and angle brackets may enclose it.
    let bare = targets.into_iter().filter_map(|target| target.split_whitespace().next());
    bare.map(|target| target.trim_matches(['<', '>'])).collect()
}

fn is_relative(target: &str) -> bool {
    let scheme = target.split_once(':').map_or("", |(scheme, _)| scheme);
    let has_scheme = !scheme.is_empty() && scheme.chars().all(|c| c.is_alphanumeric() || "+-.".contains(c));
    !has_scheme && !target.starts_with('#') && !target.starts_with("//")
}

/// The path from the root that a link on a page means; none if it leaves the tree.
fn resolve(page: &str, target: &str) -> Option<String> {
    let target = target.split(['#', '?']).next().unwrap_or(target).replace("%20", " ");
    let mut segments: Vec<&str> = page.split('/').collect();
    segments.pop();
    if target.starts_with('/') {
        segments.clear();
    }
    for segment in target.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()?),
            name => segments.push(name),
        }
    }
    Some(segments.join("/"))
}

fn broken(path: &str, line: usize, target: &str) -> Finding {
    let expected = "a file or folder of the repository";
    Finding::new(
        path,
        line,
        format!("the link to `{target}` leads nowhere"),
        expected,
        "correct or remove it",
    )
}

fn unreached(path: &str) -> Finding {
    let wrong = "no chain of links leads here";
    let expected = format!("a chain of links from {}", ENTRANCES.join(" or "));
    Finding::new(path, 1, wrong, expected, "link it where its reader would look for it, or remove it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(files: &[(&str, &str)]) -> Vec<(String, usize)> {
        check(&Tree::of(files)).into_iter().map(|one| (one.path, one.line)).collect()
    }

    #[test]
    fn links_that_lead_nowhere_are_found_in_every_form() {
        for link in [
            "[a](no.md)",
            "![a](<no.svg> \"title\")",
            "[a]: docs/no.md",
            "<img src=\"no.png\">",
            "[`a`](../x)",
        ] {
            assert_eq!(
                wrong(&[("README.md", &format!("text\n{link}\n"))]),
                [("README.md".to_owned(), 2)],
                "{link}"
            );
        }
    }

    #[test]
    fn links_that_lead_somewhere_and_addresses_are_not_found() {
        let text = "[a](docs/a.md#part) [b](https://example.org/b) [c](#here) [d](docs/) [e](/docs/a.md?plain)\n\
                    `[f](no.md)`\n```\n[g](no.md)\n```\n[^1]: a note\n[mail](mailto:a@example.org)\n";
        assert_eq!(wrong(&[("README.md", text), ("docs/a.md", "[up](../README.md)")]), []);
    }

    #[test]
    fn a_page_that_no_link_leads_to_is_found() {
        let files = [
            ("README.md", "[docs](docs/)"),
            ("docs/README.md", "[a](a.md)"),
            ("docs/a.md", "[b](deep/b.md)"),
            ("docs/deep/b.md", ""),
            ("docs/lost.md", "[itself](lost.md)"),
            ("crates/web/data/README.md", "not a page of the documentation"),
        ];
        assert_eq!(wrong(&files), [("docs/lost.md".to_owned(), 1)]);
    }
}
