package io.indexview.kvstore.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvPartialKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KvPartialKeyTest {
  private static final String[] COMPONENTS = {
    "a", "", "b", "a/b", "-", "\u0000", "a\u0000", "é", "~"
  };

  private static final KvKeySet ALL = KvKeySet.under(KvKey.ofMajor("W"));

  @TempDir private Path directory;
  private KvStore store;

  @BeforeEach
  void open() {
    store =
        KvStores.open(
            KvStoreConfig.of("embedded:" + directory).withDurability(KvDurability.WRITE_NO_SYNC));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static KvPartialKey partial(String text) {
    return new KvPartialKey(KvKey.fromString(text));
  }

  private void put(String... keys) {
    for (String key : keys) {
      store.put(KvKey.fromString(key), new byte[] {1});
    }
  }

  private List<String> keys(String partial) {
    return keys(partial, ALL);
  }

  private List<String> keys(String partial, KvKeySet of) {
    return partial(partial).page(store, of, null, 100).records().stream()
        .map(record -> record.key().toString())
        .toList();
  }

  @Test
  void standsForALeadingRunOfWholeComponents() {
    put("/W/p/1", "/W/p/1/-/mail", "/W/p/1/-/mail/home", "/W/p/1/x", "/W/p/10", "/W/q/1", "/W");

    assertThat(keys("/W/p"))
        .containsExactly("/W/p/1", "/W/p/1/-/mail", "/W/p/1/-/mail/home", "/W/p/1/x", "/W/p/10");
    assertThat(keys("/W/p/1"))
        .containsExactly("/W/p/1", "/W/p/1/-/mail", "/W/p/1/-/mail/home", "/W/p/1/x");
    assertThat(keys("/W/p/1/-/mail")).containsExactly("/W/p/1/-/mail", "/W/p/1/-/mail/home");
    assertThat(keys("/W/p/1/-/mai")).isEmpty();
    assertThat(keys("/W/o")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void readsEveryRecordOnceAndInOrderWhateverThePages(long seed) {
    Random random = new Random(seed);
    TreeSet<KvKey> written = new TreeSet<>();
    for (int i = 0; i < 120; i++) {
      KvKey key = key(random);
      store.put(key, new byte[] {1});
      written.add(key);
    }
    for (KvPartialKey partial : List.of(partial("/W"), partial("/W/a"), partial("/W/a/-/b"))) {
      List<KvKey> expected = written.stream().filter(partial::includes).toList();
      for (int most = 1; most < 20; most += 6) {
        assertThat(pages(partial, most)).as("%s by %d", partial, most).isEqualTo(expected);
      }
    }
  }

  private static KvKey key(Random random) {
    List<String> major = new ArrayList<>(List.of("W"));
    List<String> minor = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      major.add(COMPONENTS[random.nextInt(COMPONENTS.length)]);
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      minor.add(COMPONENTS[random.nextInt(COMPONENTS.length)]);
    }
    return new KvKey(major, minor);
  }

  private List<KvKey> pages(KvPartialKey partial, int most) {
    List<KvKey> read = new ArrayList<>();
    Optional<KvKey> after = Optional.empty();
    do {
      KvPartialKey.Page page = partial.page(store, ALL, after.orElse(null), most);
      assertThat(page.records()).hasSizeLessThanOrEqualTo(most);
      page.records().stream().map(KvRecord::key).forEach(read::add);
      after = page.next();
    } while (after.isPresent());
    return read;
  }

  @Test
  void endsAPageWhereItsValuesBecomeLarge() {
    for (int i = 0; i < 5; i++) {
      store.put(KvKey.ofMajor("W", "" + i), new byte[5 << 20]);
    }

    assertThat(partial("/W").page(store, ALL, null, 100).records()).hasSize(2);
    assertThat(pages(partial("/W"), 100)).hasSize(5);
  }

  @Test
  void leavesOutWhatOtherRecordSetsHaveBelowIt() {
    put("/W/p/1", "/W/p/1/-/mail", "/W/p/1/-/mail/home", "/W/p/2", "/W/p/2/-/mail", "/W/q/-/mail");
    KvKeySet mails = KvKeySet.of(KvKey.ofMajor("W", "p"), List.of("/-/mail"));
    KvKeySet roots = KvKeySet.of(KvKey.ofMajor("W", "p"), List.of("/-"));

    assertThat(keys("/W", mails)).containsExactly("/W/p/1/-/mail", "/W/p/2/-/mail");
    assertThat(keys("/W/p/1/-/mail", mails)).containsExactly("/W/p/1/-/mail");
    assertThat(keys("/W/p", roots)).containsExactly("/W/p/1", "/W/p/2");
    assertThat(keys("/W/p/1/-/mail", roots)).isEmpty();
  }

  @Test
  void refusesToGoOnAfterAKeyOfOthers() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> partial("/W/a").page(store, ALL, KvKey.fromString("/W/b"), 1))
        .withMessageContaining("/W/b", "/W/a");
  }
}
