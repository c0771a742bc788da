package io.indexview.client.verify.live;

import io.indexview.client.verify.KnownViews;
import io.indexview.client.verify.TargetReader;
import io.indexview.client.verify.TargetReader.Unowned;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Supplier;

/**
 * Looks for what is under the prefixes and in the metadata of a target, and is of no view, while
 * views come and go. The rows of a generation come when it is known, and go before it is forgotten.
 * So one that was forgotten by the second look has left nothing for it, and one that came since the
 * views were read for that is known for the third.
 */
final class UnownedPlaces {
  private static final int LOOKS = 3;

  private UnownedPlaces() {}

  static List<Unowned> find(
      Supplier<KnownViews> views, TargetReader target, TargetReader.Meter meter) {
    KnownViews known = views.get();
    List<Unowned> found = new ArrayList<>(target.unowned(known, Findings.MAX_CASES, meter));
    for (int look = 2; look <= LOOKS && !found.isEmpty(); look++) {
      known = known.with(views.get());
      found.retainAll(new HashSet<>(target.unowned(known, Findings.MAX_CASES, meter)));
    }
    return found;
  }
}
