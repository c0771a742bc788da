package io.indexview.kvstore.embedded;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRange;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.embedded.KeyCodec.KeyWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Which encoded keys a selection or a scan means, as ranges in ascending order. */
final class KeyRanges {
  private KeyRanges() {}

  static List<ByteRange> of(KvSelection selection) {
    KvKey parent = selection.parent();
    List<ByteRange> ranges = new ArrayList<>(2);
    if (selection.includesParent()) {
      ranges.add(ByteRange.point(KeyCodec.encode(parent)));
    }
    ranges.add(below(parent, belowSeparator(parent), selection.range()));
    return ranges;
  }

  static List<ByteRange> of(KvScan scan) {
    KvKey parent = scan.parent();
    if (parent == null) {
      return List.of(wholeStore(scan.range()));
    }
    if (!scan.range().isAll()) {
      return List.of(below(parent, KeyCodec.NEXT, scan.range()));
    }
    // The parent's own record, its minor paths and its longer major paths lie side by side.
    byte[] from = KeyCodec.encode(parent);
    byte[] to =
        new KeyWriter(from.length + 2).parent(parent).one(KeyCodec.SEPARATOR + 1).toByteArray();
    return List.of(new ByteRange(from, to));
  }

  private static byte belowSeparator(KvKey parent) {
    return parent.minor().isEmpty() ? KeyCodec.MINOR : KeyCodec.NEXT;
  }

  private static ByteRange below(KvKey parent, byte separator, KvRange range) {
    byte[] lower = lower(new KeyWriter(64).parent(parent).separator(separator), range);
    if (range.end() == null && !range.isPrefix()) {
      byte[] end = new KeyWriter(64).parent(parent).separator((byte) (separator + 1)).toByteArray();
      return new ByteRange(lower, end);
    }
    return new ByteRange(
        lower, upper(new KeyWriter(64).parent(parent).separator(separator), range));
  }

  private static ByteRange wholeStore(KvRange range) {
    boolean open = range.end() == null && !range.isPrefix();
    return new ByteRange(
        lower(new KeyWriter(16), range), open ? null : upper(new KeyWriter(16), range));
  }

  private static byte[] lower(KeyWriter writer, KvRange range) {
    if (range.start() != null) {
      writer.component(range.start());
      if (!range.startInclusive()) {
        writer.one(KeyCodec.SEPARATOR + 1);
      }
    }
    return writer.toByteArray();
  }

  private static byte[] upper(KeyWriter writer, KvRange range) {
    if (range.isPrefix()) {
      byte[] prefix = writer.component(range.start()).toByteArray();
      // No byte of modified UTF-8 is FF.
      prefix[prefix.length - 1]++;
      return prefix;
    }
    writer.component(range.end());
    if (range.endInclusive()) {
      writer.one(KeyCodec.SEPARATOR + 1);
    }
    return writer.toByteArray();
  }

  /**
   * Encoded keys from {@code lower} (included) to {@code upper} (excluded; null for no bound),
   * compared as unsigned bytes.
   */
  record ByteRange(byte[] lower, byte[] upper) {
    /** Exactly one key. */
    static ByteRange point(byte[] key) {
      return new ByteRange(key, successor(key));
    }

    /** The part after a key that was read. */
    ByteRange after(byte[] key) {
      return new ByteRange(successor(key), upper);
    }

    /** The part before a key that was read. */
    ByteRange before(byte[] key) {
      return new ByteRange(lower, key);
    }

    boolean startsAtOrBefore(byte[] key) {
      return Arrays.compareUnsigned(lower, key) <= 0;
    }

    boolean endsAfter(byte[] key) {
      return upper == null || Arrays.compareUnsigned(key, upper) < 0;
    }

    /** The very next byte string. */
    private static byte[] successor(byte[] key) {
      return Arrays.copyOf(key, key.length + 1);
    }
  }
}
