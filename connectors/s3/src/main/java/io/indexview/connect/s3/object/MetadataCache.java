package io.indexview.connect.s3.object;

import io.indexview.connect.s3.notification.ObjectEvent;
import io.indexview.connect.s3.notification.ObjectEvent.Sequencer;
import io.indexview.schemas.change.SourceVersion;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What reads found, by ETag, for notifications that come again. The ETag covers the bytes and not
 * the attributes, which a copy of an object onto itself changes: so an answer counts for no event
 * that is newer than the one for which somebody read it. For one thread.
 */
public final class MetadataCache {
  private final Map<String, Seen> seen;

  private record Seen(byte[] sequence, ObjectInfo object) {}

  /**
   * @param size objects that are remembered at most; those last asked for
   */
  public MetadataCache(int size) {
    this.seen =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Seen> eldest) {
            return size() > size;
          }
        };
  }

  /** What a read would find that was made when the event came; empty: somebody has to read. */
  public Optional<ObjectInfo> find(ObjectEvent event) {
    return Optional.ofNullable(seen.get(name(event)))
        .filter(known -> isOf(event, known.object()))
        .filter(
            known ->
                SourceVersion.compareSequences(
                        Sequencer.decode(event.sequencer()), known.sequence())
                    <= 0)
        .map(Seen::object);
  }

  /** Remembers what a read found that was made after the event came. */
  public void add(ObjectEvent event, ObjectInfo found) {
    if (isOf(event, found) && find(event).isEmpty()) {
      seen.put(name(event), new Seen(Sequencer.decode(event.sequencer()), found));
    }
  }

  /** The ETag of a removal is that of what is gone. */
  private static boolean isOf(ObjectEvent event, ObjectInfo object) {
    return event.kind() != ObjectEvent.Kind.VERSION_REMOVED
        && event.eTag() != null
        && Objects.equals(event.eTag(), object.eTag());
  }

  private static String name(ObjectEvent event) {
    return event.bucket() + "/" + event.key();
  }
}
