//! Magpie: a Patchwork bot in Rust, for protocol version 1 (docs/protocol.md of pwtourney).
//!
//! It takes the patch that earns most for its time, and lays it where it touches the most.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

const NAMES: [&str; 8] = ["r0", "r90", "r180", "r270", "f0", "f90", "f180", "f270"];

/// The squares of a patch in one orientation, as (row, column) from its top left corner.
type Shape = Vec<(usize, usize)>;

struct Patch {
    cost: i64,
    time: i64,
    income: i64,
    lays: Vec<Shape>,
}

/// The current game, as the runner described it.
#[derive(Default)]
struct Game {
    seat: usize,
    rows: usize,
    columns: usize,
    offer: usize,
    income: Vec<i64>,
    patches: HashMap<String, Patch>,
}

/// What concerns us of a position.
struct View {
    quilt: Vec<Vec<bool>>,
    buttons: i64,
    space: i64,
    pending: bool,
    offer: Vec<String>,
}

/// Read rows such as `##/#.`.
fn read_shape(text: &str) -> Shape {
    let squares = |(row, line): (usize, &str)| {
        let marks: Vec<_> = line.char_indices().filter(|(_, mark)| *mark == '#').collect();
        marks.into_iter().map(move |(column, _)| (row, column)).collect::<Vec<_>>()
    };
    text.split('/').enumerate().flat_map(squares).collect()
}

fn turned(shape: &Shape) -> Shape {
    let height = 1 + shape.iter().map(|square| square.0).max().unwrap_or(0);
    shape.iter().map(|&(row, column)| (column, height - 1 - row)).collect()
}

fn flipped(shape: &Shape) -> Shape {
    let width = 1 + shape.iter().map(|square| square.1).max().unwrap_or(0);
    shape.iter().map(|&(row, column)| (row, width - 1 - column)).collect()
}

/// Return the eight orientations, in the order of `NAMES`.
fn orientations(shape: Shape) -> Vec<Shape> {
    let mut all = Vec::new();
    for start in [shape.clone(), flipped(&shape)] {
        let mut lay = start;
        for _ in 0..4 {
            all.push(lay.clone());
            lay = turned(&lay);
        }
    }
    all
}

/// Read rows of runs, such as `9/2xx5`: numbers are empty squares, an x is a covered one.
fn read_quilt(text: &str) -> Vec<Vec<bool>> {
    let read_row = |row: &str| {
        let mut squares = Vec::new();
        let mut run = 0;
        for mark in row.chars().chain(['.']) {
            if let Some(digit) = mark.to_digit(10) {
                run = 10 * run + digit as usize;
                continue;
            }
            squares.extend(vec![false; run]);
            run = 0;
            if mark == 'x' {
                squares.push(true);
            }
        }
        squares
    };
    text.split('/').map(read_row).collect()
}

impl Game {
    /// Keep one line of the description of the game.
    fn describe(&mut self, word: &str, fields: &[&str]) {
        let number = |k: usize| fields[k].parse().unwrap_or(0);
        match word {
            "board" => (self.rows, self.columns) = (number(0) as usize, number(1) as usize),
            "offer" => self.offer = number(0) as usize,
            "income" => self.income = fields.iter().filter_map(|mark| mark.parse().ok()).collect(),
            "patch" => {
                let lays = orientations(read_shape(fields[4]));
                let patch = Patch { cost: number(1), time: number(2), income: number(3), lays };
                self.patches.insert(fields[0].to_string(), patch);
            }
            _ => {}
        }
    }

    fn view(&self, fields: &[&str]) -> View {
        let mine = &fields[4 * self.seat..];
        let circle = fields[12].split(',').filter(|patch| *patch != "-");
        View {
            quilt: read_quilt(mine[0]),
            buttons: mine[1].parse().unwrap_or(0),
            space: mine[3].parse().unwrap_or(0),
            pending: fields[9] != "0",
            offer: circle.take(self.offer).map(str::to_string).collect(),
        }
    }

    /// What a patch adds to the score at the end, less the time it takes.
    fn worth(&self, patch: &Patch, view: &View) -> i64 {
        let paydays = self.income.iter().filter(|mark| **mark > view.space).count() as i64;
        2 * patch.lays[0].len() as i64 + paydays * patch.income - patch.cost - patch.time
    }

    fn choose(&self, view: &View) -> String {
        if view.pending {
            let spot = self.best_place(&[vec![(0, 0)]], view);
            return spot.map_or("decline".into(), |(_, square)| format!("leather:{square}"));
        }
        let mut wanted: Vec<_> = view
            .offer
            .iter()
            .map(|number| (self.worth(&self.patches[number], view), number))
            .filter(|(worth, number)| *worth > 0 && self.patches[*number].cost <= view.buttons)
            .collect();
        wanted.sort_by_key(|(worth, _)| -worth);
        for (_, number) in wanted {
            if let Some((lay, square)) = self.best_place(&self.patches[number].lays, view) {
                return format!("{number}:{}:{square}", NAMES[lay]);
            }
        }
        "advance".into()
    }

    /// Return the orientation and the square where a patch touches the most, if it fits at all.
    fn best_place(&self, lays: &[Shape], view: &View) -> Option<(usize, String)> {
        let mut best = None;
        for (number, lay) in lays.iter().enumerate() {
            for row in 0..self.rows {
                for column in 0..self.columns {
                    if let Some(touching) = self.touching(lay, row, column, view) {
                        if best.as_ref().map_or(true, |(most, _, _)| touching > *most) {
                            best = Some((touching, number, square_name(row, column)));
                        }
                    }
                }
            }
        }
        best.map(|(_, number, square)| (number, square))
    }

    /// Count the covered neighbours of a patch laid here; None if it does not fit.
    fn touching(&self, lay: &Shape, row: usize, column: usize, view: &View) -> Option<usize> {
        let mut count = 0;
        for &(down, right) in lay {
            let (y, x) = (row + down, column + right);
            if y >= self.rows || x >= self.columns || view.quilt[y][x] {
                return None;
            }
            let (y, x) = (y as i64, x as i64);
            let around = [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)];
            count += around.iter().filter(|&&(y, x)| self.covered(y, x, view)).count();
        }
        Some(count)
    }

    /// Whether a square is covered; beyond the rim counts as covered.
    fn covered(&self, y: i64, x: i64, view: &View) -> bool {
        let inside = y >= 0 && x >= 0 && y < self.rows as i64 && x < self.columns as i64;
        !inside || view.quilt[y as usize][x as usize]
    }
}

fn square_name(row: usize, column: usize) -> String {
    format!("{}{}", (b'a' + column as u8) as char, row + 1)
}

fn main() {
    let mut game = Game::default();
    let mut view = None;
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.trim_end().split(' ').collect();
        let (word, fields) = (words[0], &words[1..]);
        match word {
            "pwtp" => println!("id name Magpie\nready"),
            "newgame" => {
                let seat = fields[3].parse().unwrap_or(0);
                game = Game { seat, offer: 3, ..Game::default() };
            }
            "end" => println!("ready"),
            "position" => view = Some(game.view(fields)),
            "go" => {
                if let Some(view) = &view {
                    println!("move {}", game.choose(view));
                }
            }
            "quit" => return,
            _ => game.describe(word, fields),
        }
        io::stdout().flush().expect("the runner reads");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corner_of_three_squares_has_four_different_lays() {
        let mut lays = orientations(read_shape("##/#."));
        for lay in &mut lays {
            lay.sort();
        }
        lays.sort();
        lays.dedup();
        assert_eq!(lays.len(), 4);
    }

    #[test]
    fn a_row_of_runs_is_as_wide_as_its_numbers_say() {
        let quilt = read_quilt("12/2xx8");
        assert_eq!(quilt.iter().map(Vec::len).collect::<Vec<_>>(), [12, 12]);
        assert_eq!(quilt[1].iter().filter(|covered| **covered).count(), 2);
    }

    #[test]
    fn squares_have_a_letter_and_a_number() {
        assert_eq!((square_name(0, 0), square_name(4, 1)), ("a1".into(), "b5".into()));
    }
}
