package io.indexview.demo.load;

import io.indexview.client.token.FreshnessToken;

/** What the process that writes and the one that reads tell each other, a line each. */
final class Reading {
  private static final String SEPARATOR = " ";

  private Reading() {}

  /** What is read, and how. */
  enum View {
    /** In the KV store, which one process holds open: through its server. */
    BY_SERVER("orders-by-customer", "kv"),
    /** In DynamoDB: through the library. */
    BY_LIBRARY("orders-in-a-table", "dynamodb");

    private final String viewName;
    private final String target;

    View(String viewName, String target) {
      this.viewName = viewName;
      this.target = target;
    }

    String viewName() {
      return viewName;
    }

    String target() {
      return target;
    }

    /** Half of the reads each. */
    static View of(int number) {
      return values()[number % values().length];
    }
  }

  /**
   * A read that is asked for.
   *
   * @param key of the order that was given to the customer of this number
   */
  record Question(int number, String key, FreshnessToken token) {
    static Question parse(String line) {
      String[] parts = line.split(SEPARATOR);
      return new Question(Integer.parseInt(parts[0]), parts[1], FreshnessToken.parse(parts[2]));
    }

    View view() {
      return View.of(number);
    }

    String customer() {
      return "writer-" + number;
    }

    @Override
    public String toString() {
      return String.join(SEPARATOR, number + "", key, token.toString());
    }
  }

  /**
   * What the read came to.
   *
   * @param remark what was found instead, or why nothing was
   */
  record Answer(int number, boolean seen, long millis, String remark) {
    static Answer parse(String line) {
      String[] parts = line.split(SEPARATOR, 4);
      return new Answer(
          Integer.parseInt(parts[0]),
          Boolean.parseBoolean(parts[1]),
          Long.parseLong(parts[2]),
          parts[3]);
    }

    View view() {
      return View.of(number);
    }

    @Override
    public String toString() {
      return String.join(SEPARATOR, number + "", seen + "", millis + "", remark.replace('\n', ' '));
    }
  }
}
