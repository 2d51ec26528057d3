//! A report as one page that needs nothing beside it: what should be looked at first, the counts, and a small chart of how much is in view with
//! the manager and would be without. Values in, HTML out; whatever was said is escaped.

use std::fmt::Write;

use super::{ManagedReport, Report};

/// The chart, in its own units.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 160.0;

/// Points drawn: more would not be told apart.
const POINTS_MAX: usize = 320;

/// Lines of one list: the page is read in a minute.
const LISTED_MAX: usize = 20;

/// How many tokens are in view after a step, and would be if nothing had been let go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InView {
    pub with: u64,
    pub without: u64,
}

/// Bars of a chart in text.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const BARS_MAX: usize = 40;

/// The chart as lines of text; none where nothing was let go.
pub fn chart_in_words(steps: &[InView]) -> Vec<String> {
    let most = steps.iter().map(|step| step.with.max(step.without)).max().unwrap_or(0);
    let Some(end) = steps.last().filter(|_| steps.iter().any(|step| step.with != step.without)) else {
        return Vec::new();
    };
    let bars = |of: fn(&InView) -> u64| -> String {
        let bar = |step: &InView| BARS[usize::try_from(of(step) * 7 / most.max(1)).unwrap_or(0).min(7)];
        drawn(steps.len(), BARS_MAX).map(|at| bar(&steps[at])).collect()
    };
    let at_most = steps.iter().map(|step| step.with).max().unwrap_or(0);
    vec![
        format!("tokens in view, event by event, of {}:", steps.len()),
        format!("  {} as it is, {} at the end, {at_most} at most", bars(|step| step.with), end.with),
        format!("  {} had nothing been let go, {} at the end", bars(|step| step.without), end.without),
    ]
}

/// Which of so many steps are drawn: each point is a step itself, the last one too, and nothing is averaged away.
fn drawn(steps: usize, points_max: usize) -> impl Iterator<Item = usize> {
    let points = steps.min(points_max);
    (0..points).map(move |point| if points < 2 { 0 } else { point * (steps - 1) / (points - 1) })
}

/// The page. `steps`: after each event, in order.
pub fn page(report: &Report, steps: &[InView]) -> String {
    let mut out = String::with_capacity(8 * 1024);
    out.push_str(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Holdfast report</title>\n<style>\
         body{font:15px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#1c2430}\
         table{border-collapse:collapse}td{padding:.1rem 1rem .1rem 0}td:last-child{font-variant-numeric:tabular-nums}\
         .look{border-left:4px solid #c2410c;padding-left:1rem}svg{width:100%;height:auto}small{color:#5b6574}\
         </style></head><body>\n<h1>What memory did</h1>\n",
    );
    let managed = &report.managed;
    if !managed.suspicious.is_empty() {
        let lines = managed.suspicious.iter().map(|one| format!("{}: {}", one.event, one.what));
        list(&mut out, "<div class=\"look\"><h2>To look at</h2>", lines, "</div>\n");
    }
    counts(&mut out, &rows(report, managed));
    chart(&mut out, steps);
    let superseded = report.superseded.iter().map(|line| {
        let new = line.new.as_deref().unwrap_or("nothing holds instead");
        format!("{} → {new}", line.old)
    });
    list(&mut out, "<h2>No longer holds</h2>", superseded, "\n");
    let touched = report.tasks.iter().filter(|(_, task)| task.constraints_touched > 0);
    let touched = touched
        .map(|(id, task)| format!("{}: {}", task.title.as_deref().unwrap_or(id.as_str()), task.constraints_touched));
    list(&mut out, "<h2>Constraints touched</h2>", touched, "\n");
    let refused = managed.refused.iter().chain(&report.refused).map(|(reason, count)| format!("{count}: {reason}"));
    list(&mut out, "<h2>Refused</h2>", refused, "\n");
    out.push_str("</body></html>\n");
    out
}

fn rows(report: &Report, managed: &ManagedReport) -> Vec<(&'static str, String)> {
    let stored: u64 = report.stored.values().sum();
    let compressed = match managed.compressed {
        0 => String::new(),
        count => format!("{count} ({} → {} tokens)", managed.compressed_tokens_before, managed.compressed_tokens_after),
    };
    let number = |count: u64| if count == 0 { String::new() } else { count.to_string() };
    vec![
        ("Events stored", number(stored)),
        ("Kept by the last run", number(managed.kept)),
        ("Compressed", compressed),
        ("Archived", number(report.archived)),
        ("On probation", number(managed.on_probation)),
        ("Discarded", number(managed.discarded)),
        ("Rescued", number(managed.rescued)),
        ("Promoted", number(managed.promoted)),
        ("Stages summed up", number(managed.stage_summaries)),
        ("Tokens saved", number(managed.tokens_saved)),
        ("Blocks served", number(report.blocks_served)),
        ("Memories written or supported", number(report.remembered)),
        ("Hidden on request", number(report.hidden)),
        ("Erased", number(report.erased)),
    ]
}

fn counts(out: &mut String, rows: &[(&str, String)]) {
    out.push_str("<table>\n");
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        line(out, format_args!("<tr><td>{name}</td><td>{}</td></tr>", escaped(value)));
    }
    out.push_str("</table>\n");
}

fn list(out: &mut String, before: &str, lines: impl Iterator<Item = String>, after: &str) {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return;
    }
    out.push_str(before);
    out.push_str("<ul>\n");
    for text in lines.iter().take(LISTED_MAX) {
        line(out, format_args!("<li>{}</li>", escaped(text)));
    }
    if lines.len() > LISTED_MAX {
        line(out, format_args!("<li>and {} more</li>", lines.len() - LISTED_MAX));
    }
    out.push_str("</ul>");
    out.push_str(after);
}

fn chart(out: &mut String, steps: &[InView]) {
    let most = steps.iter().map(|step| step.with.max(step.without)).max().unwrap_or(0);
    if steps.len() < 2 || most == 0 {
        return;
    }
    let last = steps.len() - 1;
    let points = |of: fn(&InView) -> u64| {
        let mut points = String::new();
        for at in drawn(steps.len(), POINTS_MAX) {
            let x = at as f64 / last as f64 * WIDTH;
            let y = HEIGHT - of(&steps[at]) as f64 / most as f64 * HEIGHT;
            let _ = write!(points, "{x:.1},{y:.1} ");
        }
        points
    };
    let (with, without) = (points(|step| step.with), points(|step| step.without));
    line(
        out,
        format_args!(
            "<h2>Tokens in view, event by event</h2>\n<svg viewBox=\"0 -4 {WIDTH} {}\" role=\"img\">",
            HEIGHT + 8.0
        ),
    );
    for (points, style) in [(without, "#9aa4b2\" stroke-dasharray=\"4 3"), (with, "#0f766e")] {
        line(
            out,
            format_args!(
                "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"{style}\" points=\"{}\"/>",
                points.trim_end()
            ),
        );
    }
    let end = steps[last];
    line(
        out,
        format_args!(
            "</svg>\n<p><small>{} events; solid: as it is, {} tokens at the end; dashed: had nothing been let go, {}.</small></p>",
            steps.len(),
            end.with,
            end.without
        ),
    );
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing into a string can't fail.
    let _ = writeln!(out, "{text}");
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{SupersededLine, Suspicion};
    use crate::types::ids::EventId;

    fn told() -> Report {
        let mut report = Report::default();
        report.stored.insert("query".to_owned(), 3);
        report.managed.discarded = 2;
        report.managed.refused.insert("no shorter text is true to it".to_owned(), 1);
        let what = "<script>alert(1)</script> & \"so\"".to_owned();
        report.managed.suspicious.push(Suspicion { event: EventId(uuid::Uuid::nil()), what });
        let old = "退货率 3.2% <b>".to_owned();
        report.superseded.push(SupersededLine { task: None, element: None, old, new: None, cause: None });
        report
    }

    #[test]
    fn what_was_said_can_not_leave_its_place() {
        let page = page(&told(), &[]);
        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;so&quot;"), "{page}");
        // Nothing beside it is needed, or asked for.
        assert!(!page.contains("http") && !page.contains("src=") && !page.contains("href"), "{page}");
    }

    #[test]
    fn what_should_be_looked_at_comes_first() {
        let page = page(&told(), &[]);
        assert!(page.find("To look at").unwrap() < page.find("Discarded").unwrap());
        assert!(page.contains("<tr><td>Discarded</td><td>2</td></tr>") && !page.contains("Rescued"), "{page}");
        assert!(page.contains("退货率 3.2% &lt;b&gt; → nothing holds instead"), "{page}");
    }

    #[test]
    fn the_chart_is_told_in_text_too() {
        let steps: Vec<InView> = (1..=400).map(|n| InView { with: n.min(200), without: n }).collect();
        insta::assert_snapshot!(chart_in_words(&steps).join("\n"), @"
        tokens in view, event by event, of 400:
          ▁▁▁▁▁▁▂▂▂▂▂▂▃▃▃▃▃▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄ as it is, 200 at the end, 200 at most
          ▁▁▁▁▁▁▂▂▂▂▂▂▃▃▃▃▃▄▄▄▄▄▄▅▅▅▅▅▆▆▆▆▆▆▇▇▇▇▇█ had nothing been let go, 400 at the end
        ");
        // Where nothing was let go, there is nothing to tell apart.
        assert_eq!(chart_in_words(&[InView { with: 3, without: 3 }]), [""; 0]);
        assert_eq!(chart_in_words(&[]), [""; 0]);
        assert_eq!(chart_in_words(&[InView { with: 0, without: 9 }]).len(), 3);
    }

    #[test]
    fn the_chart_ends_where_the_steps_do() {
        let steps: Vec<InView> = (1..=1_000).map(|n| InView { with: n.min(300), without: n }).collect();
        let page = page(&told(), &steps);
        assert_eq!(page.matches("<polyline").count(), 2);
        assert!(page.contains("640.0,0.0\"") && page.contains("640.0,112.0\""), "{page}");
        assert!(
            page.contains(
                "1000 events; solid: as it is, 300 tokens at the end; dashed: had nothing been let go, 1000."
            )
        );
        assert!(page.len() < 16 * 1024, "{}", page.len());
        assert!(!super::page(&told(), &steps[..1]).contains("<svg"));
    }
}
