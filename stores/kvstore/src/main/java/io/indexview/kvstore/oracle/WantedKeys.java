package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStoreException;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import oracle.kv.Key;

/**
 * Decodes the keys of a log that are asked for. The others, of other prefixes and of databases that
 * hold no records at all, cost a comparison of a few bytes.
 */
final class WantedKeys implements Function<byte[], Optional<KvKey>> {
  private final KvKeySet keys;
  private final byte[] prefix;

  WantedKeys(KvKeySet keys) {
    this.keys = keys;
    this.prefix = Translation.key(keys.prefix()).toByteArray();
  }

  @Override
  public Optional<KvKey> apply(byte[] bytes) {
    if (!isWithinPrefix(bytes)) {
      return Optional.empty();
    }
    KvKey key;
    try {
      key = Translation.key(Key.fromByteArray(bytes));
    } catch (IllegalArgumentException | KvStoreException.Refused e) {
      // Of a database that holds something else: no record has it.
      return Optional.empty();
    }
    return keys.contains(key) ? Optional.of(key) : Optional.empty();
  }

  private boolean isWithinPrefix(byte[] bytes) {
    return bytes.length >= prefix.length
        && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length)
        && (bytes.length == prefix.length || Key.isDelimiter(bytes[prefix.length]));
  }
}
