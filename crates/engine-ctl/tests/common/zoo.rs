//! Models of the zoo.
#![allow(clippy::unwrap_used)]

use sectile_driver::{Loaded, load};

pub fn zoo(model: &str, parameters: &[(&str, &str)]) -> Loaded {
    let file = format!("{}/../../models/{model}.sct", env!("CARGO_MANIFEST_DIR"));
    let parameters = parameters.iter();
    let parameters: Vec<(String, String)> = parameters
        .map(|(n, v)| ((*n).to_string(), (*v).to_string()))
        .collect();
    load(&file, None, &parameters).unwrap()
}
