package io.indexview.cli.api;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The server that commands talk to.
 *
 * @param token empty: it needs none
 */
public record ServerAddress(URI url, Optional<String> token) {

  /**
   * Checks an address.
   *
   * @throws CommandException.Usage if it is none, or a token would be sent where others can read it
   */
  public ServerAddress {
    boolean https = isSecure(url);
    if ((!https && !"http".equals(url.getScheme())) || url.getHost() == null) {
      throw new CommandException.Usage(
          "\"%s\" is no server; use an address as in https://views.example:8480".formatted(url));
    }
    if (token.isPresent() && !https && !isLoopback(url.getHost())) {
      throw new CommandException.Usage(
          "everybody on the way to %s could read the token; use https".formatted(url));
    }
  }

  /**
   * The first that is there of what was given, and the local stack's.
   *
   * @param server null: not given
   * @param tokenFile null: not given
   * @param token null: not given; less than the file
   * @throws CommandException.Usage if what was given cannot be used
   * @throws CommandException.Unavailable if there is none
   */
  public static ServerAddress find(String server, Path tokenFile, String token, Path data) {
    Optional<String> secret =
        tokenFile == null
            ? Optional.ofNullable(token)
                .map(given -> checked("INDEXVIEW_TOKEN", given))
                .filter(given -> !given.isEmpty())
            : Optional.of(checked("--token-file " + tokenFile, read(tokenFile)));
    if (server != null && !server.isEmpty()) {
      return new ServerAddress(parse(server), secret);
    }
    return ServerFile.read(data)
        .map(file -> new ServerAddress(file.url(), secret))
        .orElseThrow(
            () ->
                new CommandException.Unavailable(
                    "no server is known, as there is no %s: start `indexview local`, or name a server with --server or INDEXVIEW_SERVER"
                        .formatted(ServerFile.in(data)),
                    null));
  }

  private static URI parse(String server) {
    try {
      return URI.create(server);
    } catch (IllegalArgumentException e) {
      throw new CommandException.Usage(
          "\"%s\" is no server; use an address as in https://views.example:8480".formatted(server),
          e);
    }
  }

  private static String read(Path tokenFile) {
    try {
      return Files.readString(tokenFile);
    } catch (IOException e) {
      throw new CommandException.Usage("--token-file %s cannot be read".formatted(tokenFile), e);
    }
  }

  /**
   * Returns the token without the line break at its end. It is checked here, because what fails
   * later would show it.
   */
  private static String checked(String origin, String token) {
    String stripped = token.strip();
    if (stripped.chars().anyMatch(character -> character <= ' ' || character > '~')) {
      throw new CommandException.Usage(
          "%s holds a line break, a blank or another character that no token has; give one token alone"
              .formatted(origin));
    }
    return stripped;
  }

  /** Whether another address leads to the same server of this machine, or is the same. */
  public static boolean isSame(String named, URI own) {
    URI other = parse(named);
    return other.equals(own)
        || other.getPort() == own.getPort()
            && other.getHost() != null
            && isLoopback(other.getHost())
            && isLoopback(own.getHost());
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static boolean isSecure(URI url) {
    return "https".equals(url.getScheme());
  }

  /** Whether it speaks TLS. */
  boolean isSecure() {
    return isSecure(url);
  }

  @Override
  public String toString() {
    return url.toString();
  }
}
