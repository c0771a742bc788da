package io.indexview.kvstore.embedded;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.open.KvStores;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Writes until it is killed, and tells each write only after the store has acknowledged it. */
final class WriterProcess {
  private static final int THREADS = 4;
  private static final FileOutputStream OUT = new FileOutputStream(FileDescriptor.out);

  private WriterProcess() {}

  /** Arguments: the store's directory, a prefix for this process's keys. */
  public static void main(String[] args) throws InterruptedException {
    KvStore store = KvStores.open("embedded:" + args[0]);
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      String major = args[1] + "-" + i;
      writers.add(new Thread(() -> write(store, major)));
    }
    writers.forEach(Thread::start);
    for (Thread writer : writers) {
      writer.join();
    }
  }

  private static void write(KvStore store, String major) {
    for (int n = 0; ; n++) {
      KvKey key = new KvKey(List.of(major), List.of(String.valueOf(n)));
      KvVersion version = store.put(key, key.toString().getBytes(StandardCharsets.UTF_8));
      if (n % 5 == 0) {
        store.delete(key);
        tell("deleted " + key + " " + version.vlsn());
      } else {
        tell("put " + key + " " + version.vlsn());
      }
    }
  }

  private static synchronized void tell(String line) {
    try {
      // Unbuffered: what was reported is there when the process is gone.
      OUT.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
