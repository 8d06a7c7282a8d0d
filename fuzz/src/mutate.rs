//! Mutations of texts.

use sectile_base::Rng;

/// Texts longer than this are cut: long texts find nothing that short ones do not.
const LONGEST: usize = 20_000;

/// Makes texts from a corpus.
pub struct Mutator {
    corpus: Vec<String>,
    words: &'static [&'static str],
    rng: Rng,
}

impl Mutator {
    /// A mutator over a corpus that is not empty.
    pub fn new(corpus: Vec<String>, words: &'static [&'static str], rng: Rng) -> Mutator {
        Mutator { corpus, words, rng }
    }

    /// The next text.
    pub fn next_text(&mut self) -> String {
        let mut text: Vec<char> = self.pick().chars().take(LONGEST).collect();
        for _ in 0..=self.rng.below(8) {
            self.mutate(&mut text);
        }
        text.truncate(LONGEST);
        text.into_iter().collect()
    }

    fn pick(&mut self) -> String {
        let corpus = &self.corpus;
        self.rng.pick(corpus).cloned().unwrap_or_default()
    }

    fn position(&mut self, text: &[char]) -> usize {
        self.index(text.len() + 1)
    }

    fn index(&mut self, n: usize) -> usize {
        usize::try_from(self.rng.below(n as u64)).unwrap_or(0)
    }

    /// A piece of the text: mostly short.
    fn piece(&mut self, text: &[char]) -> (usize, usize) {
        let start = self.position(text);
        let longest = if self.rng.chance(1, 8) { 2000 } else { 20 };
        let end = (start + self.index(longest)).min(text.len());
        (start, end)
    }

    fn mutate(&mut self, text: &mut Vec<char>) {
        match self.rng.below(9) {
            0 => {
                let (start, end) = self.piece(text);
                text.drain(start..end);
            }
            1 => {
                let (start, end) = self.piece(text);
                let copy: Vec<char> = text[start..end].to_vec();
                let times = if self.rng.chance(1, 10) { 200 } else { 1 };
                let at = self.position(text);
                let repeated = copy.iter().copied().cycle().take(copy.len() * times);
                text.splice(at..at, repeated.collect::<Vec<_>>());
            }
            2 | 3 => {
                let at = self.position(text);
                let word = self.rng.pick(self.words).copied().unwrap_or(" ");
                text.splice(at..at, format!(" {word} ").chars());
            }
            4 if !text.is_empty() => {
                let at = self.index(text.len());
                let any = u32::try_from(self.rng.below(0x3000)).unwrap_or(0);
                text[at] = char::from_u32(any).unwrap_or('?');
            }
            5 => {
                let other: Vec<char> = self.pick().chars().collect();
                let (start, end) = self.piece(&other);
                let at = self.position(text);
                text.splice(at..at, other[start..end].to_vec());
            }
            6 => {
                let (start, end) = self.piece(text);
                let moved: Vec<char> = text.drain(start..end).collect();
                let at = self.position(text);
                text.splice(at..at, moved);
            }
            7 => {
                let at = self.position(text);
                text.truncate(at);
            }
            _ => {
                // Swaps two numbers or brackets for others: keeps the text almost right.
                let at = self.position(text);
                let found = (at..text.len()).find(|&i| text[i].is_ascii_digit());
                if let Some(i) = found {
                    text[i] = ['0', '1', '7', '9'][self.index(4)];
                }
            }
        }
    }
}
