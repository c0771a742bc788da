package io.indexview.local;

import java.util.concurrent.CompletableFuture;

/** Where a running part says that it has died; the first one counts. */
final class Failures {
  private final CompletableFuture<StackException> first = new CompletableFuture<>();

  void report(PartName part, String what, Throwable cause) {
    first.complete(new StackException(part.label() + " " + what, cause));
  }

  CompletableFuture<StackException> first() {
    return first;
  }
}
