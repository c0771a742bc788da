package io.indexview.kvstore.embedded;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvVersion;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** An encoded key and what is stored under it: 8 bytes of version, then the value. */
record StoredRecord(byte[] key, byte[] data) {
  static byte[] data(long vlsn, byte[] value) {
    return ByteBuffer.allocate(Long.BYTES + value.length).putLong(vlsn).put(value).array();
  }

  static long vlsn(byte[] data) {
    return ByteBuffer.wrap(data).getLong();
  }

  static KvVersion version(String shard, long vlsn) {
    return new KvVersion(shard, vlsn);
  }

  KvRecord toRecord(String shard) {
    return toRecord(KeyCodec.decode(key), shard);
  }

  KvRecord toRecord(KvKey decoded, String shard) {
    byte[] value = Arrays.copyOfRange(data, Long.BYTES, data.length);
    return new KvRecord(decoded, value, version(shard, vlsn(data)));
  }
}
