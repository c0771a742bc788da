package io.indexview.verification.live;

import io.indexview.client.admin.KnownViews;
import io.indexview.schemas.control.ViewVerification.NotLookedFor;
import io.indexview.verification.TargetReader;
import io.indexview.verification.TargetReader.Orphaned;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for what is under the prefixes and in the metadata of a target, and belongs to no view,
 * while views come and go. The rows of a generation come when it is known, and go before it is
 * forgotten. So one that was forgotten by the second search has left nothing for it, and one that
 * came since the views were read for that is known for the third.
 */
final class OrphanedPlaces {
  private static final Logger LOGGER = LoggerFactory.getLogger(OrphanedPlaces.class);
  private static final int SEARCHES = 3;
  private static final String STEP = "looks for what belongs to no view";

  private OrphanedPlaces() {}

  /**
   * Finds them, and notes them. It is the last thing of a run that has compared all rows, so
   * nothing but a stop ends that.
   *
   * @param run for the log: which verification of which view
   * @return what it did not look for
   */
  static List<NotLookedFor> note(
      String run,
      Supplier<KnownViews> views,
      TargetReader target,
      LiveVerification.Monitor monitor,
      Findings findings) {
    TargetReader.Meter meter =
        (bytes, readUnits) -> {
          monitor.consumed(bytes, readUnits);
          monitor.at(STEP, findings.counts());
        };
    try {
      findings.orphaned(find(views, target, meter));
      return target.notLookedFor();
    } catch (StoppedException | InterruptException e) {
      throw e;
    } catch (RuntimeException e) {
      LOGGER.warn(
          "{} does not look for rows and metadata that belong to no view, and its report says so; mend the cause,"
              + " then verify again",
          run,
          e);
      return NotLookedFor.all(String.valueOf(e.getMessage()));
    }
  }

  /** The first {@value Findings#MAX_CASES} of those that there are. */
  static List<Orphaned> find(
      Supplier<KnownViews> views, TargetReader target, TargetReader.Meter meter) {
    KnownViews known = views.get();
    Set<Orphaned> found = new LinkedHashSet<>();
    target.orphaned(
        known,
        one -> {
          found.add(one);
          return found.size() < Findings.MAX_CASES;
        },
        meter);
    for (int search = 2; search <= SEARCHES && !found.isEmpty(); search++) {
      known = known.with(views.get());
      // There may be others by now, in any number, before these.
      Set<Orphaned> still = new HashSet<>();
      target.orphaned(
          known,
          one -> {
            if (found.contains(one)) {
              still.add(one);
            }
            return still.size() < found.size();
          },
          meter);
      found.retainAll(still);
    }
    return List.copyOf(found);
  }
}
