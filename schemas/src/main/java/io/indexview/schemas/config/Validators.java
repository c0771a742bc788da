package io.indexview.schemas.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef.Recommender;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigException;

/** What the values of keys must be like; each says what to write instead. */
public final class Validators {
  private Validators() {}

  /** A value that a regular expression describes; null passes where the key has a null default. */
  public static final class MatchesPattern implements Validator {
    private static final String TOPIC_RULE = "1 to 249 of the characters A-Z a-z 0-9 . _ -";

    /** A name of a Kafka topic. */
    public static final MatchesPattern TOPIC =
        new MatchesPattern("[A-Za-z0-9._-]{1,249}", TOPIC_RULE);

    /** A topic name, or an empty text, which stands for a default. */
    public static final MatchesPattern TOPIC_OR_EMPTY =
        new MatchesPattern("[A-Za-z0-9._-]{0,249}", "an empty text, or " + TOPIC_RULE);

    /** A region of AWS. */
    public static final MatchesPattern AWS_REGION =
        new MatchesPattern("[a-z0-9-]{1,50}", "a region's name, for instance eu-central-1");

    /** A name of a source, or the first part of names of topics. */
    public static final MatchesPattern NAME =
        new MatchesPattern("[A-Za-z0-9._-]{1,100}", "1 to 100 of the characters A-Z a-z 0-9 . _ -");

    private final Pattern pattern;
    private final String remedy;

    /**
     * @param remedy what to write instead; ends the sentence "Use ..."
     */
    public MatchesPattern(String regex, String remedy) {
      this.pattern = Pattern.compile(regex);
      this.remedy = Objects.requireNonNull(remedy, "remedy");
    }

    public boolean matches(String value) {
      return pattern.matcher(value).matches();
    }

    @Override
    public void ensureValid(String name, Object value) {
      if (value != null && !matches(value.toString())) {
        throw new ConfigException(name, value, "Use " + remedy);
      }
    }

    @Override
    public String toString() {
      return remedy;
    }
  }

  /** The constants of an enum in lower case, as validator and recommender of a key. */
  public static final class OneOf<E extends Enum<E>> implements Validator, Recommender {
    private final Class<E> type;
    private final List<String> names;

    private OneOf(Class<E> type) {
      this.type = type;
      this.names =
          Arrays.stream(type.getEnumConstants())
              .map(e -> e.name().toLowerCase(Locale.ROOT))
              .toList();
    }

    public static <E extends Enum<E>> OneOf<E> of(Class<E> type) {
      return new OneOf<>(type);
    }

    /** The constant of a value that was validated. */
    public E parse(String value) {
      return Enum.valueOf(type, value.toUpperCase(Locale.ROOT));
    }

    @Override
    public void ensureValid(String name, Object value) {
      if (value == null || !names.contains(value.toString())) {
        throw new ConfigException(name, value, "Use one of " + String.join(", ", names));
      }
    }

    @Override
    public List<Object> validValues(String name, Map<String, Object> parsedConfig) {
      return List.copyOf(names);
    }

    @Override
    public boolean visible(String name, Map<String, Object> parsedConfig) {
      return true;
    }

    @Override
    public String toString() {
      return String.join(", ", names);
    }
  }

  /**
   * Requires that no element of a list key is empty or comes twice. Kafka's own validator is not in
   * every worker.
   */
  public static final class EachOnce implements Validator {
    private final boolean mayBeEmpty;

    /**
     * @param mayBeEmpty whether a list without anything in it will do
     */
    public EachOnce(boolean mayBeEmpty) {
      this.mayBeEmpty = mayBeEmpty;
    }

    @Override
    public void ensureValid(String name, Object value) {
      List<?> values = value == null ? List.of() : (List<?>) value;
      if (values.isEmpty() && !mayBeEmpty) {
        throw new ConfigException(name, value, "Name one at least");
      }
      Set<Object> seen = new HashSet<>();
      for (Object one : values) {
        if (one.toString().isBlank()) {
          throw new ConfigException(name, value, "Take the empty value out");
        }
        if (!seen.add(one)) {
          throw new ConfigException(name, value, "Name %s once".formatted(one));
        }
      }
    }

    @Override
    public String toString() {
      return "any, each once";
    }
  }

  /** An http or https address of a server; null passes. */
  public static final class HttpAddress implements Validator {

    @Override
    public void ensureValid(String name, Object value) {
      if (value == null) {
        return;
      }
      try {
        URI uri = new URI(value.toString());
        boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
        if (http && uri.getHost() != null) {
          return;
        }
      } catch (URISyntaxException e) {
        throw new ConfigException(name, value, "Not an address: " + e.getReason());
      }
      throw new ConfigException(name, value, "Use http://host:port or https://host:port");
    }

    @Override
    public String toString() {
      return "http://host:port or https://host:port";
    }
  }
}
