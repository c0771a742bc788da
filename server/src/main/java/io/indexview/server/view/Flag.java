package io.indexview.server.view;

/**
 * A query parameter that is on when it is there: {@code ?name} or {@code ?name=true}.
 *
 * @param set whether it is on
 */
public record Flag(boolean set) {
  /** Called by JAX-RS. */
  public static Flag fromString(String text) {
    return switch (text) {
      case "", "true" -> new Flag(true);
      case "false" -> new Flag(false);
      default -> throw new IllegalArgumentException("use true or false");
    };
  }
}
