package io.indexview.server.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.config.types.Password;

/**
 * How the server is reached.
 *
 * @param tls empty: plain HTTP
 * @param token empty: requests need none
 * @param threads that answer requests
 * @param idleTimeout of a connection
 * @param maxRequestBytes of a request's body
 */
public record HttpSettings(
    Address address,
    Optional<Tls> tls,
    Optional<Password> token,
    int threads,
    Duration idleTimeout,
    long maxRequestBytes) {
  public HttpSettings {
    Objects.requireNonNull(address, "address");
    Objects.requireNonNull(tls, "tls");
    Objects.requireNonNull(token, "token");
    Objects.requireNonNull(idleTimeout, "idleTimeout");
  }

  /**
   * Where to listen.
   *
   * @param port 0: a free one
   * @param names that requests may be addressed to, beside the host
   */
  public record Address(String host, int port, Set<String> names) {
    public Address {
      Objects.requireNonNull(host, "host");
      names = Set.copyOf(names);
    }

    /** A host as URIs have it: an address of IPv6 in brackets. */
    public static String inUri(String host) {
      return host.indexOf(':') < 0 || host.startsWith("[") ? host : "[" + host + "]";
    }
  }

  /**
   * The server's certificate.
   *
   * @param type of the key store, as in {@link java.security.KeyStore}
   */
  public record Tls(Path keystore, Password password, String type) {
    public Tls {
      Objects.requireNonNull(keystore, "keystore");
      Objects.requireNonNull(password, "password");
      Objects.requireNonNull(type, "type");
    }
  }
}
