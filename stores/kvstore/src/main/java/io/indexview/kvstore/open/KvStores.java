package io.indexview.kvstore.open;

import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.embedded.EmbeddedKvStore;
import io.indexview.kvstore.remote.RemoteKvStore;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Opens stores by their address. */
public final class KvStores {
  private static final String EMBEDDED = "embedded:";
  private static final Pattern ORACLE = Pattern.compile("oracle://([^/]+)/([^/]+)");
  private static final Pattern REMOTE =
      Pattern.compile("remote://((?:[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+]):\\d{1,5})");
  private static final Pattern HELPER = Pattern.compile("(?:[^:\\[\\]]+|\\[[^\\]]+\\]):(\\d{1,5})");

  private KvStores() {}

  /** Opens with the defaults of {@link KvStoreConfig#of}. */
  public static KvStore open(String uri) {
    return open(KvStoreConfig.of(uri));
  }

  /**
   * @throws IllegalArgumentException if the address is not one of the three forms
   * @throws KvStoreException if the store cannot be opened; Unavailable if it may come up later
   */
  public static KvStore open(KvStoreConfig config) {
    String uri = config.uri();
    if (uri.startsWith(EMBEDDED)) {
      return EmbeddedKvStore.open(directory(uri), config);
    }
    Matcher remote = REMOTE.matcher(uri);
    if (remote.matches() && isAddress(remote.group(1))) {
      return RemoteKvStore.open(remote.group(1), config);
    }
    Matcher oracle = ORACLE.matcher(uri);
    if (oracle.matches()) {
      String[] helpers = oracle.group(1).split(",", -1);
      for (String helper : helpers) {
        if (!isAddress(helper)) {
          throw invalid(uri, "'%s' is not host:port".formatted(helper));
        }
      }
      return OracleAdapter.opener().open(helpers, oracle.group(2), config);
    }
    throw invalid(uri, "no known form");
  }

  private static boolean isAddress(String helper) {
    Matcher parts = HELPER.matcher(helper);
    if (!parts.matches()) {
      return false;
    }
    int port = Integer.parseInt(parts.group(1));
    return port >= 1 && port <= 65_535;
  }

  private static Path directory(String uri) {
    String path = uri.substring(EMBEDDED.length());
    if (path.isEmpty()) {
      throw invalid(uri, "the directory is missing");
    }
    try {
      return Path.of(path);
    } catch (InvalidPathException e) {
      throw invalid(uri, e.getMessage());
    }
  }

  private static IllegalArgumentException invalid(String uri, String problem) {
    return new IllegalArgumentException(
        ("Store address '%s' is not valid: %s."
                + " It is embedded:/directory, oracle://host:port,host:port/storename or"
                + " remote://host:port.")
            .formatted(uri, problem));
  }
}
