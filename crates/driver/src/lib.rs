//! From a file to a verdict: registry, pipeline, certification.
