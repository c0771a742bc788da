package io.indexview.local;

import java.net.URI;
import java.util.concurrent.CompletableFuture;

/** What every part of one stack is made from. */
record PartContext(StackConfig config, DataDirectory directory, Ports ports, Failures failures) {

  /** Where parts listen that only this machine may reach. */
  static final String HOST = "127.0.0.1";

  /** How a part is reached. */
  String hostAndPort(PartName part) {
    return hostAndPort(config.host(), part);
  }

  String url(PartName part) {
    return "http://" + hostAndPort(part);
  }

  /** Where a part listens that others may reach. */
  URI listener(PartName part) {
    return URI.create("http://" + hostAndPort(config.bind().getHostAddress(), part));
  }

  /** How this process reaches it: the name that others use may mean nothing here. */
  URI ownUrl(PartName part) {
    return config.bind().isAnyLocalAddress()
        ? URI.create("http://" + hostAndPort(HOST, part))
        : listener(part);
  }

  private String hostAndPort(String host, PartName part) {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + ports.of(part);
  }

  /** Where a running part says that it has died; the first one counts. */
  static final class Failures {
    private final CompletableFuture<StackException> first = new CompletableFuture<>();

    void report(PartName part, String what, Throwable cause) {
      first.complete(new StackException(part.label() + " " + what, cause));
    }

    CompletableFuture<StackException> first() {
      return first;
    }
  }
}
