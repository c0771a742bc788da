package io.indexview.schemas;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Names of all topics of one installation. The names are an upgrade contract.
 *
 * @param prefix first part of every name; {@code [A-Za-z0-9._-]}, 1 to 100 characters
 */
public record Topics(String prefix) {
  public static final String DEFAULT_PREFIX = "indexview";

  /**
   * Where all records of a control topic are written and read: also of one that was created, or
   * changed, to have more partitions.
   */
  public static final int CONTROL_PARTITION = 0;

  private static final String VIEW_STATES = ".view-states";
  private static final Pattern LEGAL = Pattern.compile("[A-Za-z0-9._-]{1,100}");

  public Topics {
    Objects.requireNonNull(prefix, "prefix");
    if (!LEGAL.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "topic prefix \"%s\": use 1 to 100 of the characters A-Z a-z 0-9 . _ -"
              .formatted(prefix));
    }
  }

  /** Default name of the primary-change topic of a record set. */
  public String changes(String recordSet) {
    return prefix + ".changes." + recordSet;
  }

  /**
   * The compacted topic of one generation of a view; {@code target} is as in definitions: {@code
   * kv}, {@code dynamodb} or that of a generic Connect sink.
   */
  public String view(String target, String view, int generation) {
    return prefix + ".view." + target + "." + view + "." + generation;
  }

  /** Whether a topic has the rows of a view. */
  public boolean isView(String topic) {
    return topic.startsWith(prefix + ".view.");
  }

  /** Regular expression that matches the view topics of a target, for {@code topics.regex}. */
  public String viewPattern(String target) {
    return prefix.replace(".", "\\.") + "\\.view\\." + target + "\\..+\\.\\d+";
  }

  /** Regular expression of all that a sink of a target reads: its view topics and the states. */
  public String sinkPattern(String target) {
    return viewPattern(target) + "|" + viewStates().replace(".", "\\.");
  }

  public String recordSets() {
    return prefix + ".record-sets";
  }

  public String sourceRequests() {
    return prefix + ".source-requests";
  }

  public String viewDefinitions() {
    return prefix + ".view-definitions";
  }

  public String viewGenerations() {
    return prefix + ".view-generations";
  }

  public String viewStates() {
    return prefix + VIEW_STATES;
  }

  /** Whether a topic has the states of the views of some installation. */
  public static boolean isViewStates(String topic) {
    return topic.endsWith(VIEW_STATES);
  }

  public String viewProgress() {
    return prefix + ".view-progress";
  }

  public String viewVerifications() {
    return prefix + ".view-verifications";
  }

  /** Subject of the schema of {@code ViewTopicControl}; no topic of the name. */
  public String viewTopicControl() {
    return prefix + ".view-topic-control";
  }

  public String viewRepairs() {
    return prefix + ".view-repairs";
  }

  public String sourceStates() {
    return prefix + ".source-states";
  }

  /** Where the streams app puts what it cannot use. */
  public String deadLetters() {
    return prefix + ".dead-letters";
  }

  /** Where the sinks of a target put rows that they cannot apply. */
  public String deadLetters(String target) {
    return prefix + ".dead-letters." + target;
  }
}
