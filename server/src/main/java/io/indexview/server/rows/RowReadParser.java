package io.indexview.server.rows;

import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.ReadOptions.Consistency;
import io.indexview.client.read.ReadOptions.NotReady;
import io.indexview.client.read.ViewQuery;
import io.indexview.client.token.FreshnessToken;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.rows.Rows.ReadLimits;
import jakarta.ws.rs.core.MultivaluedMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the parameters of one request; all problems are named at once. */
final class RowReadParser {
  /** Comes before the name of a field that is also the name of an option. */
  private static final String FIELD = "key.";

  private static final Duration DEFAULT_TIMEOUT = ReadOptions.DEFAULT.timeout();
  private static final Pattern ROWS = Pattern.compile("\\d{1,9}");
  private static final Pattern DURATION = Pattern.compile("(\\d{1,12})(ms|s|m)?");

  private final MultivaluedMap<String, String> given;
  private final ReadLimits limits;
  private final List<ProblemDetails.Item> problems = new ArrayList<>();

  /**
   * @param given as they were, decoded
   */
  RowReadParser(MultivaluedMap<String, String> given, ReadLimits limits) {
    this.given = given;
    this.limits = limits;
  }

  /**
   * What the request asks for.
   *
   * @throws ProblemException naming every parameter that is wrong
   */
  RowRead parse(String view) {
    RowRead read = new RowRead(query(view), options());
    if (!problems.isEmpty()) {
      throw ProblemException.badParameters(problems);
    }
    return read;
  }

  private ViewQuery query(String view) {
    ViewQuery query =
        ViewQuery.of(view)
            .withLimit(
                read("limit", this::rows)
                    .orElse(Math.min(ViewQuery.DEFAULT_LIMIT, limits.maxRows())))
            .from(given.getFirst("page"))
            .by(given.getFirst("index"));
    // Sorted: the same query shall look the same, in whatever order it is written.
    for (Map.Entry<String, List<String>> parameter : new TreeMap<>(given).entrySet()) {
      String name = parameter.getKey();
      if (parameter.getValue().size() > 1 && !name.equals("isNull")) {
        wrong(name, "", "is there twice; remove one");
      } else if (!RowResource.OPTIONS.contains(name)) {
        String field = name.startsWith(FIELD) ? name.substring(FIELD.length()) : name;
        query = query.where(field, parameter.getValue().get(0));
      }
    }
    for (String field : given.getOrDefault("isNull", List.of())) {
      query = query.where(field, null);
    }
    String prefix = given.getFirst("prefix");
    String from = given.getFirst("from");
    String to = given.getFirst("to");
    if (prefix != null || from != null || to != null) {
      query = query.where(condition(prefix, from, to));
    }
    return flag("desc") ? query.inDescendingOrder() : query;
  }

  private ViewQuery.Condition condition(String prefix, String from, String to) {
    if (prefix == null) {
      return ViewQuery.Range.between(null, from, to);
    }
    if (from != null || to != null) {
      wrong("prefix", prefix, "cannot be combined with from or to; use one of them");
    }
    return new ViewQuery.Prefix(null, prefix);
  }

  private ReadOptions options() {
    Duration timeout = read("timeout", this::duration).orElse(byDefault());
    ReadOptions options =
        ReadOptions.DEFAULT
            .withNotReady(
                read("policy", text -> policy(text, timeout)).orElse(new NotReady.Refuse()))
            .with(read("consistency", RowReadParser::consistency).orElse(Consistency.STRONGEST));
    Optional<FreshnessToken> token = read("atLeast", FreshnessToken::parse);
    if (token.isPresent()) {
      options = options.atLeast(token.get(), timeout);
    }
    Optional<Duration> maxStaleness = read("maxStaleness", RowReadParser::any);
    if (maxStaleness.isPresent()) {
      options = options.notOlderThan(maxStaleness.get());
    }
    return flag("fetch") ? options.fetching() : options;
  }

  private Duration byDefault() {
    return DEFAULT_TIMEOUT.compareTo(limits.maxTimeout()) < 0
        ? DEFAULT_TIMEOUT
        : limits.maxTimeout();
  }

  private int rows(String text) {
    if (ROWS.matcher(text).matches()) {
      int rows = Integer.parseInt(text);
      if (rows >= 1 && rows <= limits.maxRows()) {
        return rows;
      }
    }
    throw new IllegalArgumentException("use 1 to " + limits.maxRows());
  }

  private Duration duration(String text) {
    Duration duration = any(text);
    if (duration.compareTo(limits.maxTimeout()) > 0) {
      throw new IllegalArgumentException(
          "is too long; use %d ms at most".formatted(limits.maxTimeout().toMillis()));
    }
    return duration;
  }

  private static Duration any(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("use a duration as in 500ms, 10s or 1m");
    }
    long number = Long.parseLong(matcher.group(1));
    String unit = matcher.group(2) == null ? "ms" : matcher.group(2);
    return switch (unit) {
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofMillis(number);
    };
  }

  private static NotReady policy(String text, Duration timeout) {
    return switch (text) {
      case "refuse" -> new NotReady.Refuse();
      case "wait" -> new NotReady.Wait(timeout);
      case "stale" -> new NotReady.AllowStale();
      default -> throw new IllegalArgumentException("use refuse, wait or stale");
    };
  }

  private static Consistency consistency(String text) {
    for (Consistency consistency : Consistency.values()) {
      if (consistency.name().toLowerCase(Locale.ROOT).equals(text)) {
        return consistency;
      }
    }
    throw new IllegalArgumentException("use strongest, absolute or eventual");
  }

  private boolean flag(String name) {
    return read(
            name,
            value ->
                switch (value) {
                  case "", "true" -> true;
                  case "false" -> false;
                  default -> throw new IllegalArgumentException("use true or false");
                })
        .orElse(false);
  }

  private <T> Optional<T> read(String name, Function<String, T> reading) {
    String text = given.getFirst(name);
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(reading.apply(text));
    } catch (IllegalArgumentException e) {
      wrong(name, text, e.getMessage());
      return Optional.empty();
    }
  }

  private void wrong(String name, String value, String message) {
    problems.add(new ProblemDetails.Item(name, value, message));
  }

  /** What a request reads, and how. */
  record RowRead(ViewQuery query, ReadOptions options) {
    /** Whether it may wait for something. */
    boolean waits() {
      return options.atLeast().isPresent()
          || options.notReady() instanceof ReadOptions.NotReady.Wait;
    }
  }
}
