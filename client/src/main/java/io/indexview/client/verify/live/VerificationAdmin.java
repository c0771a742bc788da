package io.indexview.client.verify.live;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.client.admin.ViewAdmin.ServedGeneration;
import io.indexview.client.admin.ViewNotFoundException;
import io.indexview.client.verify.TargetReader;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.views.definition.ViewGeneration;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for verifications, tells how they are, cancels them. Safe for use by several threads; all
 * methods throw as {@link VerificationLog} does.
 */
public final class VerificationAdmin {
  private static final Logger LOGGER = LoggerFactory.getLogger(VerificationAdmin.class);
  private static final int KEPT_PER_VIEW = 20;
  private static final DateTimeFormatter ID =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss").withZone(ZoneOffset.UTC);

  private final VerificationLog log;
  private final Function<String, ServedGeneration> serving;
  private final Function<ViewGeneration, TargetReader> targets;
  private final Clock clock;

  /**
   * @param log stays open
   * @param serving as {@link io.indexview.client.admin.ViewAdmin#serving}
   * @param targets throws {@link NotVerifiableException} for a target whose rows cannot be read
   *     here
   */
  public VerificationAdmin(
      VerificationLog log,
      Function<String, ServedGeneration> serving,
      Function<ViewGeneration, TargetReader> targets,
      Clock clock) {
    this.log = log;
    this.serving = serving;
    this.targets = targets;
    this.clock = clock;
  }

  /**
   * Asks for a verification of the generation that serves; a worker begins it within some seconds.
   * Of earlier ones the last {@value #KEPT_PER_VIEW} are kept, and the last that compared all rows.
   *
   * @throws ViewNotFoundException if there is no such view
   * @throws NotVerifiableException if no generation serves, its target cannot be read here, or a
   *     verification of the view is not over
   */
  public ViewVerification request(String view, VerificationOptions options) {
    targets.apply(serving.apply(view).frozen()).close();
    List<ViewVerification> known = log.of(view);
    known.stream()
        .filter(one -> !one.status().isOver())
        .findFirst()
        .ifPresent(
            running -> {
              throw new NotVerifiableException(
                  "verification %s of view \"%s\" is not over: wait for it, or cancel it"
                      .formatted(running.id(), view));
            });
    long now = clock.millis();
    String id =
        ID.format(clock.instant())
            + "-%04x".formatted(ThreadLocalRandom.current().nextInt(1 << 16));
    ViewVerification asked =
        new ViewVerification(view, id, Status.REQUESTED, options, now, Run.NONE);
    log.put(asked);
    forgotten(known).forEach(log::forget);
    return asked;
  }

  /**
   * Those that are too old to be kept when another comes.
   *
   * @param known those of a view, the newest first
   */
  static List<ViewVerification> forgotten(List<ViewVerification> known) {
    List<ViewVerification> ofAllRows =
        known.stream().filter(one -> one.options().isOfAllRows()).toList();
    List<ViewVerification> last =
        Stream.of(
                ofAllRows.stream().findFirst(),
                ofAllRows.stream().filter(one -> one.status() == Status.DONE).findFirst())
            .flatMap(Optional::stream)
            .toList();
    return known.stream().skip(KEPT_PER_VIEW - 1L).filter(one -> !last.contains(one)).toList();
  }

  /** Those of all views, the newest first. */
  public List<ViewVerification> all() {
    return log.all();
  }

  /**
   * Those of a view, the newest first.
   *
   * @throws ViewNotFoundException if there is none, nor a view of the name
   */
  public List<ViewVerification> list(String view) {
    List<ViewVerification> known = log.of(view);
    if (known.isEmpty()) {
      requireView(view);
    }
    return known;
  }

  private void requireView(String view) {
    try {
      Objects.requireNonNull(serving.apply(view), view);
    } catch (NotVerifiableException e) {
      LOGGER.debug("There is a view {} that cannot be verified now", view, e);
    }
  }

  /** One of them; empty: not known, or forgotten. */
  public Optional<ViewVerification> get(String view, String id) {
    return log.of(view).stream().filter(one -> one.id().equals(id)).findFirst();
  }

  /**
   * Ends one that is not over; one that is stays as it is.
   *
   * @return how it is then; empty: not known
   */
  public Optional<ViewVerification> cancel(String view, String id) {
    Optional<ViewVerification> found = get(view, id);
    found.filter(one -> !one.status().isOver()).ifPresent(log::cancel);
    return get(view, id);
  }
}
