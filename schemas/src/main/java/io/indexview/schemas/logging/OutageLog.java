package io.indexview.schemas.logging;

import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;

/**
 * The lines of a work that is tried until an outage is over: a warning once per outage and cause,
 * and one line when it is over. Failures are of one cause that have the same classes and messages,
 * whatever numbers and ids these hold, down to the first failure. Not safe for use by several
 * threads.
 */
public final class OutageLog {
  /** Words with a digit: counts and times of tries, ids of requests. */
  private static final Pattern VARYING = Pattern.compile("[\\w-]*\\d[\\w-]*");

  private final Logger logger;
  private final String over;

  /** Causes of the outage that the log tells; none: there is no outage. */
  private final Set<String> logged = new HashSet<>();

  /**
   * @param over what is logged when an outage is over
   */
  public OutageLog(Logger logger, String over) {
    this.logger = logger;
    this.over = over;
  }

  /**
   * The work failed and is tried again. Warns if the cause is new in this outage; else that is for
   * debugging.
   *
   * @param message says what waits, and what helps
   */
  public void failed(String message, Throwable failure) {
    if (logged.add(cause(failure))) {
      logger.warn(message, failure);
    } else {
      logger.debug(message, failure);
    }
  }

  /** The work goes on; ends the outage if there is one. */
  public void succeeded() {
    if (!logged.isEmpty()) {
      logged.clear();
      logger.info(over);
    }
  }

  private static String cause(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .map(Throwable::toString)
        .map(text -> VARYING.matcher(text).replaceAll("0"))
        .collect(Collectors.joining("\n"));
  }
}
