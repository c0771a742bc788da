package io.indexview.views.layout;

import java.util.Optional;
import java.util.OptionalLong;

/** A record that has one row. */
final class KvRowContent implements KvContent {
  private final long tombstonesFrom;
  private byte[] value;
  private long revision;

  /**
   * @param value null: there is no record
   * @param tombstonesFrom revision from which on tombstones count
   */
  KvRowContent(byte[] value, long tombstonesFrom) {
    this.tombstonesFrom = tombstonesFrom;
    if (value != null) {
      KvRowHead head = KvRowHead.of(value);
      boolean counts = !head.isTombstone() || head.revision() >= tombstonesFrom;
      this.value = counts ? value : null;
      this.revision = head.revision();
    }
  }

  @Override
  public boolean merge(byte[] change, long changed, boolean deletes) {
    boolean isOld = deletes && changed < tombstonesFrom;
    if (value == null ? isOld : changed <= revision) {
      return false;
    }
    value = isOld ? null : change;
    revision = changed;
    return true;
  }

  @Override
  public OptionalLong revision(String primaryKey) {
    return value == null ? OptionalLong.empty() : OptionalLong.of(revision);
  }

  @Override
  public Optional<byte[]> value() {
    return Optional.ofNullable(value);
  }
}
