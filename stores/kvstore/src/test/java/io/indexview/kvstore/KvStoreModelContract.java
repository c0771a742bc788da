package io.indexview.kvstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** Random operations on a store and on a sorted map give the same answers. */
abstract class KvStoreModelContract {
  private static final List<String> COMPONENTS =
      List.of(
          "",
          "-",
          "/",
          "%",
          "a",
          "A",
          "a/b",
          "/World/city/7/-/x",
          "%2F",
          "+",
          " ",
          "é",
          "\u0000",
          "\u0001",
          "a\u0000",
          "a\u0001",
          "\uD83D\uDE00",
          "\uFFFD",
          "~",
          ".",
          "..",
          "10",
          "9");

  /** Of all keys of the tests: nothing else of a store is touched, and nothing is left there. */
  static final String PREFIX = "indexview-contract";

  /** The store under test, open. */
  protected abstract KvStore store();

  @Property(tries = 30, shrinking = ShrinkingMode.BOUNDED)
  void answersAsTheModelDoes(@ForAll("scenarios") Scenario scenario) {
    String root = "model-" + UUID.randomUUID();
    KvKey all = KvKey.ofMajor(PREFIX, root);
    KvStoreModel model = new KvStoreModel();
    try {
      for (ModelStep step : scenario.history()) {
        step.run(store(), model, root);
      }
      assertThat(scanned(KvScan.under(all))).containsExactlyInAnyOrderElementsOf(model.all());
      for (ModelQuery query : scenario.queries()) {
        query.check(store(), model, root);
      }
    } finally {
      remove(all);
    }
  }

  /** Leaves a store of somebody else as it was. */
  void remove(KvKey prefix) {
    scannedKeys(KvScan.under(prefix)).forEach(store()::delete);
  }

  record Scenario(List<ModelStep> history, List<ModelQuery> queries) {}

  /** A history and questions about it, made of few components so that they meet. */
  @Provide
  Arbitrary<Scenario> scenarios() {
    return Arbitraries.of(COMPONENTS)
        .list()
        .ofMinSize(2)
        .ofMaxSize(4)
        .uniqueElements()
        .flatMap(
            pool ->
                Combinators.combine(
                        steps(pool).list().ofMinSize(5).ofMaxSize(40),
                        queries(pool).list().ofSize(6))
                    .as(Scenario::new));
  }

  private static Arbitrary<ModelStep> steps(List<String> pool) {
    return Combinators.combine(
            Arbitraries.of(ModelStep.Kind.class),
            paths(pool),
            paths(pool),
            ranges(),
            Arbitraries.of(true, false))
        .as(ModelStep::new);
  }

  private static Arbitrary<ModelQuery> queries(List<String> pool) {
    return Combinators.combine(
            paths(pool),
            paths(pool),
            ranges(),
            Arbitraries.of(true, false),
            Arbitraries.integers().between(1, 4))
        .as(ModelQuery::new);
  }

  private static Arbitrary<List<String>> paths(List<String> pool) {
    return Arbitraries.of(pool).list().ofMaxSize(2);
  }

  private static Arbitrary<KvRange> ranges() {
    Arbitrary<String> component = Arbitraries.of(COMPONENTS);
    Arbitrary<Boolean> inclusive = Arbitraries.of(true, false);
    return Arbitraries.oneOf(
        Arbitraries.just(KvRange.ALL),
        component.map(KvRange::prefix),
        Combinators.combine(component, inclusive).as(KvRange::from),
        Combinators.combine(component, inclusive).as(KvRange::to),
        Combinators.combine(component, component).as(KvStoreModelContract::between));
  }

  private static KvRange between(String one, String other) {
    int order = KeyOrder.compareComponents(one, other);
    if (Integer.signum(order) != Integer.signum(one.compareTo(other))) {
      return KvRange.from(one, true);
    }
    return order <= 0 ? KvRange.closed(one, other) : KvRange.closed(other, one);
  }

  List<KvRecord> scanned(KvScan scan) {
    List<KvRecord> records = new ArrayList<>();
    try (KvIterator<KvRecord> iterator = store().storeIterator(scan)) {
      iterator.forEachRemaining(records::add);
    }
    return records;
  }

  List<KvKey> scannedKeys(KvScan scan) {
    List<KvKey> keys = new ArrayList<>();
    try (KvIterator<KvKey> iterator = store().storeKeysIterator(scan)) {
      iterator.forEachRemaining(keys::add);
    }
    return keys;
  }
}
