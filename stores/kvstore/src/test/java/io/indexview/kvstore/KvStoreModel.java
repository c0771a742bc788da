package io.indexview.kvstore;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A store as a sorted map: slow, obvious, and told the versions that the real store gave. */
final class KvStoreModel {
  private final Map<KvKey, KvRecord> records = new TreeMap<>();

  Optional<KvRecord> get(KvKey key) {
    return Optional.ofNullable(records.get(key));
  }

  Optional<KvVersion> version(KvKey key) {
    return get(key).map(KvRecord::version);
  }

  void put(KvKey key, byte[] value, KvVersion version) {
    records.put(key, new KvRecord(key, value, version));
  }

  void delete(KvKey key) {
    records.remove(key);
  }

  List<KvRecord> all() {
    return List.copyOf(records.values());
  }

  List<KvRecord> select(KvSelection selection) {
    List<KvRecord> selected = new ArrayList<>();
    for (KvRecord found : records.values()) {
      if (isSelected(found.key(), selection)) {
        selected.add(found);
      }
    }
    return selected;
  }

  List<KvRecord> scan(KvKey parent, KvRange range) {
    List<KvRecord> found = new ArrayList<>();
    int depth = parent.major().size();
    for (KvRecord candidate : records.values()) {
      List<String> major = candidate.key().major();
      boolean under = major.size() >= depth && major.subList(0, depth).equals(parent.major());
      boolean inRange = range.isAll() || (major.size() > depth && range.contains(major.get(depth)));
      if (under && inRange) {
        found.add(candidate);
      }
    }
    return found;
  }

  private static boolean isSelected(KvKey key, KvSelection selection) {
    KvKey parent = selection.parent();
    int depth = parent.minor().size();
    if (!key.major().equals(parent.major())
        || key.minor().size() < depth
        || !key.minor().subList(0, depth).equals(parent.minor())) {
      return false;
    }
    if (key.minor().size() == depth) {
      return selection.includesParent();
    }
    return selection.range().contains(key.minor().get(depth));
  }
}
