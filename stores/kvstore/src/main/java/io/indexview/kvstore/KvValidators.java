package io.indexview.kvstore;

import io.indexview.schemas.config.Validators.MatchesPattern;
import io.indexview.schemas.config.Validators.OneOf;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.kafka.common.config.ConfigDef.LambdaValidator;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigException;

/** What the values of keys about a KV store must be like; null passes. */
public final class KvValidators {
  /** Where the store is, see {@link KvStoreConfig#of}. */
  public static final MatchesPattern ADDRESS =
      new MatchesPattern(
          "embedded:.+|oracle://[^/]+/.+|remote://[^/]+",
          "embedded:/directory, oracle://host:port,host:port/storename or remote://host:port");

  public static final OneOf<KvDurability> DURABILITY = OneOf.of(KvDurability.class);

  /** What the versions of a store begin with, until it is restored from a backup. */
  public static final MatchesPattern INCARNATION =
      new MatchesPattern("[A-Za-z0-9._-]{1,60}", "1 to 60 of the characters A-Z a-z 0-9 . _ -");

  /** The keys of a record set begin with it. */
  public static final Validator PREFIX =
      LambdaValidator.with(
          (key, value) -> requirePrefix(key, (String) value), () -> "/component/component");

  /** Minor paths of the keys of a record set. */
  public static final Validator MINORS =
      LambdaValidator.with(
          (key, value) -> ((List<?>) value).forEach(minor -> requireMinor(key, minor.toString())),
          () -> "/-/component/component or /-, each once");

  private KvValidators() {}

  /**
   * Finds record sets that have keys of another. One's deletion, or scan, must not meet records of
   * another.
   *
   * @param sets the keys of each, by name
   * @param problem gets the name of a record set, and what is wrong with its prefix
   */
  public static void findOverlaps(Map<String, KvKeySet> sets, BiConsumer<String, String> problem) {
    List<String> names = List.copyOf(sets.keySet());
    for (int i = 0; i < names.size(); i++) {
      KvKeySet keys = sets.get(names.get(i));
      for (String other : names.subList(0, i)) {
        if (keys.overlaps(sets.get(other))) {
          problem.accept(
              names.get(i),
              "%s has keys that belong to record set %s (%s) already; use another prefix, or different minor keys for both"
                  .formatted(keys, other, sets.get(other)));
        }
      }
    }
  }

  private static void requirePrefix(String key, String value) {
    try {
      if (value != null && !KvKey.fromString(value).minor().isEmpty()) {
        throw new ConfigException(key, value, "Use major components only, without /-/");
      }
    } catch (IllegalArgumentException | KvStoreException e) {
      throw new ConfigException(key, value, e.getMessage());
    }
  }

  private static void requireMinor(String key, String minor) {
    try {
      KvKeySet.minor(minor);
    } catch (IllegalArgumentException | KvStoreException e) {
      throw new ConfigException(key, minor, e.getMessage());
    }
  }
}
