package io.indexview.cli.output;

/** How a command prints what it has learnt. */
public enum Format {
  TABLE,
  JSON,
  YAML
}
