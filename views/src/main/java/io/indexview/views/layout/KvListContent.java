package io.indexview.views.layout;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A record that lists rows: a JSON array of what key/value rows have as values, one for each
 * primary key, in the order of those. Rows that do not change keep their bytes.
 */
final class KvListContent implements KvContent {
  private final int maxElements;
  private final int maxBytes;
  private final long tombstonesFrom;
  private final SortedMap<String, Element> elements = new TreeMap<>();
  private byte[] stored;
  private long elementBytes;

  private record Element(byte[] json, KvRowHead head) {}

  /**
   * @param value null: there is no record
   * @param tombstonesFrom revision from which on tombstones count
   * @param maxElements rows and tombstones that it holds at most
   * @param maxBytes that it may take; one that takes more already may shrink
   */
  KvListContent(byte[] value, long tombstonesFrom, int maxElements, int maxBytes) {
    this.tombstonesFrom = tombstonesFrom;
    this.maxElements = maxElements;
    this.maxBytes = maxBytes;
    if (value != null) {
      read(value, elements);
      boolean isOlder = elements.values().removeIf(element -> isOld(element.head()));
      this.stored = isOlder ? null : value;
      elements.values().forEach(element -> elementBytes += element.json().length);
    }
  }

  /**
   * Requires a record's value to list rows.
   *
   * @throws LayoutException if it lists something else
   */
  static void requireRows(byte[] value) {
    read(value, new TreeMap<>());
  }

  private boolean isOld(KvRowHead head) {
    return head.isTombstone() && head.revision() < tombstonesFrom;
  }

  private static void read(byte[] value, SortedMap<String, Element> into) {
    KvRowHead.parse(
        value,
        parser -> {
          if (parser.nextToken() != JsonToken.START_ARRAY) {
            throw new LayoutException("the value is no array of rows");
          }
          while (parser.nextToken() != JsonToken.END_ARRAY) {
            Element element = element(value, parser);
            into.put(element.head().primaryKey(), element);
          }
          return into;
        });
  }

  private static Element element(byte[] value, JsonParser parser) throws IOException {
    long begin = parser.currentTokenLocation().getByteOffset();
    KvRowHead head = KvRowHead.read(parser);
    long end = parser.currentLocation().getByteOffset();
    head.requirePrimaryKey();
    if (begin < 0) {
      throw new LayoutException("the value is not written in UTF-8");
    }
    return new Element(Arrays.copyOfRange(value, (int) begin, (int) end), head);
  }

  @Override
  public boolean merge(byte[] change, long revision, boolean deletes) {
    SortedMap<String, Element> changed = new TreeMap<>();
    read(change, changed);
    Element next = changed.get(changed.firstKey());
    Element present = elements.get(next.head().primaryKey());
    if (present != null ? present.head().revision() >= revision : !hasRoom(next)) {
      return false;
    }
    put(next, present == null ? -1 : present.json().length);
    stored = null;
    return true;
  }

  /** A full list takes no tombstone of what it does not hold: it takes no late row either. */
  private boolean hasRoom(Element next) {
    if (isOld(next.head())) {
      return false;
    } else if (elements.size() < maxElements) {
      return true;
    } else if (next.head().isTombstone()) {
      return false;
    }
    long deleted = elements.values().stream().filter(each -> each.head().isTombstone()).count();
    throw new LayoutException(
        ("the list is full: it holds %d primary keys and %d deleted ones that are still remembered,"
                + " maxElements is %d; use layout: key-value, or raise maxElements")
            .formatted(elements.size() - deleted, deleted, maxElements));
  }

  /**
   * @param before bytes that the element has so far; -1: there is none
   */
  private void put(Element next, int before) {
    long grown = elementBytes + next.json().length - Math.max(0, before);
    int count = elements.size() + (before < 0 ? 1 : 0);
    long size = size(count, grown);
    if (!next.head().isTombstone() && next.json().length > before && size > maxBytes) {
      throw new LayoutException(
          ("the record that lists the row would take %d bytes with %d primary keys, those deleted but"
                  + " still remembered among them, and the sink writes %d; use layout: key-value,"
                  + " include less, or raise kvstore.value.max.bytes")
              .formatted(size, count, maxBytes));
    }
    if (isOld(next.head())) {
      elements.remove(next.head().primaryKey());
      elementBytes -= before;
    } else {
      elements.put(next.head().primaryKey(), next);
      elementBytes = grown;
    }
  }

  /** Size of a list with brackets and commas. */
  private static long size(int count, long elementBytes) {
    return elementBytes + count + 1;
  }

  @Override
  public OptionalLong revision(String primaryKey) {
    Element element = elements.get(primaryKey);
    return element == null ? OptionalLong.empty() : OptionalLong.of(element.head().revision());
  }

  @Override
  public Optional<byte[]> value() {
    if (elements.isEmpty()) {
      return Optional.empty();
    } else if (stored == null) {
      stored = joined();
    }
    return Optional.of(stored);
  }

  private byte[] joined() {
    byte[] joined = new byte[Math.toIntExact(size(elements.size(), elementBytes))];
    int at = 0;
    for (Element element : elements.values()) {
      joined[at++] = (byte) (at == 1 ? '[' : ',');
      System.arraycopy(element.json(), 0, joined, at, element.json().length);
      at += element.json().length;
    }
    joined[at] = ']';
    return joined;
  }
}
