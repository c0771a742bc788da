package io.indexview.verification.live;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.client.admin.ViewAdmin.ServedGeneration;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.verification.TargetReader;
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

/** The verifications that are on the log of a cluster. */
public final class VerificationAdmin implements VerificationCatalog {
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

  @Override
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
   * Verifications that are too old to be kept when another one comes.
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

  @Override
  public List<ViewVerification> all() {
    return log.all();
  }

  @Override
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

  @Override
  public Optional<ViewVerification> get(String view, String id) {
    return log.of(view).stream().filter(one -> one.id().equals(id)).findFirst();
  }

  @Override
  public Optional<ViewVerification> cancel(String view, String id) {
    Optional<ViewVerification> found = get(view, id);
    found.filter(one -> !one.status().isOver()).ifPresent(log::cancel);
    return get(view, id);
  }
}
