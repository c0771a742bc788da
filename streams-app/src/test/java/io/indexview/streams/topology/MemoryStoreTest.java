package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.indexview.streams.state.Entries;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NoSuchElementException;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.StateRestoreCallback;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryStoreTest {
  private static final int MANY = 200_000;

  @TempDir private Path taskDirectory;
  private StateRestoreCallback changelog;
  private final KeyValueStore<Bytes, byte[]> store = MemoryStore.supplier("records-people").get();

  /** As a task of Kafka Streams does. */
  private void init() {
    StateStoreContext context =
        (StateStoreContext)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {StateStoreContext.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "stateDir" -> taskDirectory.toFile();
                      case "register" -> {
                        assertThat(arguments[0]).isSameAs(store);
                        changelog = (StateRestoreCallback) arguments[1];
                        yield null;
                      }
                      default -> throw new UnsupportedOperationException(method.getName());
                    });
    store.init(context, store);
  }

  private static Bytes key(int number) {
    return Bytes.wrap(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
  }

  @Test
  void isMadeAnewForEachTask() {
    assertThat(MemoryStore.supplier("one").get())
        .isNotSameAs(MemoryStore.supplier("one").get())
        .satisfies(one -> assertThat(one.name()).isEqualTo("one"))
        .satisfies(one -> assertThat(one.persistent()).isFalse())
        .satisfies(one -> assertThat(one.isOpen()).isFalse());
  }

  @Test
  void takesWhatItsChangelogHas() {
    init();
    changelog.restore(key(1).get(), new byte[] {1});
    changelog.restore(key(2).get(), new byte[] {2});
    changelog.restore(key(1).get(), null);

    assertThat(store.get(key(1))).isNull();
    assertThat(store.get(key(2))).containsExactly(2);
    assertThat(store.approximateNumEntries()).isEqualTo(1);
  }

  /** A task whose transaction was aborted is closed, and goes on with the same store. */
  @Test
  void hasNothingThatIsNotCommittedOnceATaskIsRevived() {
    init();
    changelog.restore(key(1).get(), new byte[] {1});
    store.put(key(1), new byte[] {7});
    store.put(key(2), new byte[] {7});

    store.close();
    assertThat(store.isOpen()).isFalse();
    init();

    assertThat(store.isOpen()).isTrue();
    assertThat(store.all().hasNext()).isFalse();
    changelog.restore(key(1).get(), new byte[] {1});
    assertThat(store.get(key(1))).containsExactly(1);
    assertThat(store.get(key(2))).isNull();
  }

  @Test
  void leavesNothingOnDiskThatAnotherStoreWouldTakeForItsState() throws IOException {
    Path own = Files.createDirectories(taskDirectory.resolve("rocksdb/records-people"));
    Files.writeString(own.resolve("CURRENT"), "x");
    Path other = Files.createDirectories(taskDirectory.resolve("rocksdb/replay-people"));

    init();

    assertThat(own).doesNotExist();
    assertThat(other).exists();
  }

  @Test
  void refusesAnIteratorThatIsClosedOrOver() {
    init();
    store.put(key(1), new byte[] {1});
    KeyValueIterator<Bytes, byte[]> entries = store.all();
    entries.next();
    assertThatThrownBy(entries::next).isInstanceOf(NoSuchElementException.class);
    assertThatThrownBy(entries::peekNextKey).isInstanceOf(NoSuchElementException.class);

    entries.close();

    assertThatThrownBy(entries::hasNext).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(entries::next).isInstanceOf(IllegalStateException.class);
  }

  private static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  /** The documents tell users what to expect. */
  @Test
  void costsLittleBesideKeysAndValues() {
    Bytes[] keys = new Bytes[MANY];
    for (int i = 0; i < MANY; i++) {
      keys[i] = key(i);
    }
    byte[] value = {1};
    long before = allocated();
    for (Bytes key : keys) {
      store.put(key, value);
    }
    assertThat((allocated() - before) / MANY).isLessThanOrEqualTo(64);
  }

  /** One that copies keys allocates as many for each of the chunks. */
  @Test
  void scansInManyChunksAtTheCostOfOne() {
    for (int i = 0; i < MANY; i++) {
      store.put(key(i), new byte[] {1});
    }
    Entries entries = StreamsStores.entries(store);
    byte[][] last = {null};
    int[] seen = {0};
    long before = allocated();
    boolean whole = false;
    while (!whole) {
      int end = seen[0] + 10;
      whole =
          entries.scan(
              last[0],
              (key, value) -> {
                last[0] = key;
                seen[0]++;
                return seen[0] < end;
              });
    }
    assertThat(seen[0]).isEqualTo(MANY);
    assertThat((allocated() - before) / MANY).isLessThan(200);
  }
}
