package io.indexview.streams.lifecycle.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What the owner remembers, as JSON with the version of its form. */
public final class ViewLifeCodec {
  private static final String FORM = "form";
  private static final int NEWEST = 1;
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
          .build();

  private ViewLifeCodec() {}

  public static String write(Record remembered) {
    ObjectNode json = JSON.valueToTree(remembered);
    json.put(FORM, NEWEST);
    return json.toString();
  }

  /**
   * Reads {@link #write} back.
   *
   * @throws IllegalArgumentException if it is nothing of the kind, or of a newer release
   */
  public static <T extends Record> T read(Class<T> kind, String text) {
    try {
      JsonNode json = JSON.readTree(text);
      int form = json.path(FORM).asInt();
      if (form < 1 || form > NEWEST) {
        throw new IllegalArgumentException(
            "what the owner of the view states remembers has form %d; this release knows 1 to %d: use the newer release"
                .formatted(form, NEWEST));
      }
      return JSON.treeToValue(json, kind);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "what the owner of the view states remembers cannot be read: " + e.getOriginalMessage(),
          e);
    }
  }
}
