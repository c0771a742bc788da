package io.indexview.connect.kvstore.config;

/** How a source finds changes. */
public enum CaptureMode {
  /** It follows the changes of the store where the store can tell them, and scans where not. */
  AUTO,
  /** It follows the changes of the store; where the store cannot tell them the task fails. */
  SUBSCRIPTION,
  /** It scans. */
  SCAN
}
