package io.indexview.benchmarks.data;

import io.indexview.views.definition.ViewGeneration;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;

/**
 * The views of a whole application.
 *
 * @param text a number of views, {@value #FILTER} or {@value #ARRAY}
 */
public record ViewSet(String text) {
  /** One view of a fifth of the people, which they enter and leave as they move. */
  public static final String FILTER = "filter";

  /** One view with a row for each of ten tags of a person. */
  public static final String ARRAY = "array";

  /** Organisations that are in the view with a filter begin so. */
  public static final String KEPT = "Organisation 1";

  private static final int MANY_TAGS = 10;

  /**
   * @throws IllegalArgumentException if it is neither
   */
  public ViewSet {
    if (!text.equals(FILTER) && !text.equals(ARRAY) && !text.matches("[1-9][0-9]{0,2}")) {
      throw new IllegalArgumentException(
          "\"%s\": use a number from 1 to 999, %s or %s".formatted(text, FILTER, ARRAY));
    }
  }

  /** A set of so many views. */
  public static ViewSet of(int count) {
    return new ViewSet(Integer.toString(count));
  }

  /** The files of the views, by name. */
  public Map<String, String> files() {
    return switch (text) {
      case FILTER -> BenchViews.filtered(KEPT);
      case ARRAY -> BenchViews.ofTags();
      default -> BenchViews.files(Integer.parseInt(text));
    };
  }

  /** The first generations of the views. */
  public List<ViewGeneration> generations() {
    return BenchViews.generations(files());
  }

  /** Whether not all people have rows. */
  public boolean isFiltered() {
    return text.equals(FILTER);
  }

  /** Whether a person has rows. */
  public boolean keeps(GenericRecord person) {
    return !isFiltered() || person.get("org").toString().startsWith(KEPT);
  }

  /** How many tags people have. */
  public int tags() {
    return text.equals(ARRAY) ? MANY_TAGS : People.USUAL_TAGS;
  }

  @Override
  public String toString() {
    return switch (text) {
      case FILTER -> "a view with a filter";
      case ARRAY -> "a view of an array of %d".formatted(MANY_TAGS);
      case "1" -> "1 view";
      default -> text + " views";
    };
  }
}
