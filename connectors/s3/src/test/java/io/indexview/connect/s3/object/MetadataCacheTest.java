package io.indexview.connect.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.s3.notification.ObjectEvent;
import io.indexview.connect.s3.object.ObjectInfo.ObjectAttributes;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MetadataCacheTest {
  private final MetadataCache cache = new MetadataCache(2);

  private static ObjectEvent event(String key, String eTag, String sequencer) {
    return event(ObjectEvent.Kind.CREATED, "ObjectCreated:Put", key, eTag, sequencer);
  }

  private static ObjectEvent event(
      ObjectEvent.Kind kind, String type, String key, String eTag, String sequencer) {
    return new ObjectEvent(kind, type, "documents", key, 5L, eTag, null, sequencer, Instant.EPOCH);
  }

  private static ObjectInfo object(String key, String eTag, String project) {
    return new ObjectInfo(
        key,
        5,
        eTag,
        null,
        Instant.EPOCH,
        new ObjectAttributes(null, Map.of("project", project), Map.of()));
  }

  @Test
  void answersForTheSameEventAndForOlderOnesOfTheSameContent() {
    cache.add(event("a", "e", "05"), object("a", "e", "x"));

    assertThat(cache.find(event("a", "e", "05"))).isPresent();
    assertThat(cache.find(event("a", "e", "0401"))).isPresent();
    assertThat(cache.find(event("a", "other", "05"))).isEmpty();
    assertThat(cache.find(event("b", "e", "05"))).isEmpty();
  }

  @Test
  void doesNotAnswerForTheRemovalOfTheVersionThatWasRead() {
    cache.add(event("a", "e", "05"), object("a", "e", "x"));
    ObjectEvent removal =
        event(ObjectEvent.Kind.VERSION_REMOVED, "LifecycleExpiration:Delete", "a", "e", "05");

    assertThat(cache.find(removal)).isEmpty();
  }

  /** A copy onto itself changes the metadata, and keeps the ETag. */
  @Test
  void doesNotAnswerForANewerEventThoughTheContentIsTheSame() {
    cache.add(event("a", "e", "05"), object("a", "e", "x"));

    assertThat(cache.find(event("a", "e", "06"))).isEmpty();
    cache.add(event("a", "e", "06"), object("a", "e", "y"));
    assertThat(cache.find(event("a", "e", "06"))).contains(object("a", "e", "y"));
  }

  @Test
  void doesNotKeepWhatIsNewerThanTheEvent() {
    cache.add(event("a", "e", "05"), object("a", "newer", "x"));

    assertThat(cache.find(event("a", "e", "05"))).isEmpty();
    assertThat(cache.find(event("a", "newer", "05"))).isEmpty();
  }

  @Test
  void evictsTheLeastRecentlyUsedMetadata() {
    cache.add(event("a", "e", "05"), object("a", "e", "x"));
    cache.add(event("b", "e", "05"), object("b", "e", "x"));
    assertThat(cache.find(event("a", "e", "05"))).isPresent();
    cache.add(event("c", "e", "05"), object("c", "e", "x"));

    assertThat(cache.find(event("a", "e", "05"))).isPresent();
    assertThat(cache.find(event("b", "e", "05"))).isEmpty();
  }
}
