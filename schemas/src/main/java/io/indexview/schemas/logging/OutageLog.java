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
 * and one line when it is over. Failures have the same cause if they and the failures behind them
 * have the same classes and messages, apart from counts, times and ids of requests. Not safe for
 * use by several threads.
 */
public final class OutageLog {
  /** Ids of requests, times, counts; names with digits, and statuses of HTTP, tell causes apart. */
  private static final Pattern VARYING =
      Pattern.compile(
          "(?i:request id: *)\\S+"
              + "|\\p{XDigit}{8}(?:-\\p{XDigit}{4}){3}-\\p{XDigit}{12}"
              + "|\\d{4}-\\d\\d-\\d\\d[ T][\\d:.]+"
              + "|(?<![\\w.:/-]|HTTP |Code: )\\d+(?:ms|s)?(?![\\w-])");

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
