package io.indexview.connect.common.config;

import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigException;

/** A value that a regular expression describes; null passes where the key has a null default. */
public final class MatchesPattern implements Validator {
  /** A name of a Kafka topic. */
  public static final MatchesPattern TOPIC =
      new MatchesPattern("[A-Za-z0-9._-]{1,249}", "1 to 249 of the characters A-Z a-z 0-9 . _ -");

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
