package io.indexview.demo.load;

import io.indexview.kvstore.KvKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** The state of a streams app that does not run, for those who damage it. */
final class LocalState {
  private final List<Path> stores;

  private LocalState(List<Path> stores) {
    this.stores = stores;
  }

  /**
   * @param directory somewhere above the state of all tasks; nothing else may write in it
   */
  static LocalState under(Path directory, String store) throws IOException {
    try (Stream<Path> paths = Files.walk(directory)) {
      return new LocalState(
          paths.filter(path -> path.endsWith(Path.of("rocksdb", store))).toList());
    }
  }

  /**
   * Makes the task that has a record forget it, and know another one of the same value instead.
   *
   * @throws IllegalStateException if there is no such record
   */
  void exchange(KvKey forgotten, KvKey invented) throws RocksDBException {
    for (Path store : stores) {
      if (exchange(store, bytes(forgotten), bytes(invented))) {
        return;
      }
    }
    throw new IllegalStateException("no store of %s has %s".formatted(stores, forgotten));
  }

  private static byte[] bytes(KvKey key) {
    return key.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static boolean exchange(Path store, byte[] forgotten, byte[] invented)
      throws RocksDBException {
    List<ColumnFamilyDescriptor> families = new ArrayList<>();
    try (Options options = new Options()) {
      RocksDB.listColumnFamilies(options, store.toString())
          .forEach(name -> families.add(new ColumnFamilyDescriptor(name)));
    }
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    try (DBOptions options = new DBOptions();
        RocksDB database = RocksDB.open(options, store.toString(), families, handles)) {
      for (ColumnFamilyHandle family : handles) {
        byte[] entry = database.get(family, forgotten);
        if (entry != null) {
          database.put(family, invented, entry);
          database.delete(family, forgotten);
          return true;
        }
      }
      return false;
    }
  }
}
