package io.indexview.client.verify.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.client.verify.KnownViews;
import io.indexview.client.verify.TargetReader;
import io.indexview.client.verify.TargetReader.Unowned;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.fixtures.Tries.Seeds;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Looks while views are created and dropped: known, then there, then gone, then known no more. No
 * view comes back while somebody looks.
 */
class UnownedPlacesTest {
  private static final int VIEWS = 8;

  private final Set<String> known = new TreeSet<>();
  private final Set<String> there = new TreeSet<>();
  private final Set<String> removed = new TreeSet<>();
  private Random random;

  private void step() {
    String view = "view-" + random.nextInt(VIEWS);
    if (!removed.contains(view) && !known.contains(view)) {
      known.add(view);
    } else if (!removed.contains(view) && !there.contains(view)) {
      there.add(view);
    } else if (there.remove(view)) {
      removed.add(view);
    } else {
      known.remove(view);
    }
  }

  private void goOn() {
    while (random.nextInt(4) > 0) {
      step();
    }
  }

  private KnownViews views() {
    goOn();
    KnownViews read = new KnownViews("test", Set.copyOf(known), List.of());
    goOn();
    return read;
  }

  private List<Unowned> find(Set<String> orphans) {
    TargetReader target =
        (TargetReader)
            Proxy.newProxyInstance(
                TargetReader.class.getClassLoader(),
                new Class<?>[] {TargetReader.class},
                (proxy, method, arguments) -> unowned((KnownViews) arguments[0], orphans));
    return UnownedPlaces.find(this::views, target, (bytes, readUnits) -> {});
  }

  private List<Unowned> unowned(KnownViews views, Set<String> orphans) {
    List<Unowned> found = new ArrayList<>();
    Set<String> names = new TreeSet<>(orphans);
    for (int i = 0; i < VIEWS; i++) {
      names.add("view-" + i);
    }
    for (String name : names) {
      goOn();
      boolean isThere = there.contains(name) || orphans.contains(name);
      if (isThere && !views.names().contains(name)) {
        found.add(new Unowned(Kind.UNOWNED_METADATA, name, ""));
      }
    }
    return found;
  }

  @Property(tries = 2_000)
  void findsWhatIsOfNoViewAndNothingElse(@ForAll(supplier = Seeds.class) long seed) {
    random = new Random(seed);
    List.of(known, there, removed).forEach(Set::clear);
    for (int i = 0; i < 15; i++) {
      step();
    }
    // Views that were dropped before may come back once.
    removed.clear();
    Set<String> orphans = random.nextBoolean() ? Set.of() : Set.of("orphan-1", "orphan-2");

    assertThat(find(orphans)).extracting(Unowned::id).containsExactlyInAnyOrderElementsOf(orphans);
  }
}
