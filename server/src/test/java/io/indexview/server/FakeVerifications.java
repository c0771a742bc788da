package io.indexview.server;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.verification.GenericTargetException;
import io.indexview.verification.live.VerificationCatalog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Verifications in memory; nobody runs them. Safe for use by several threads. */
public final class FakeVerifications implements VerificationCatalog {
  private final List<ViewVerification> all = new ArrayList<>();
  private final Set<String> unreadable = new HashSet<>();
  private final Deque<RuntimeException> refusals = new ArrayDeque<>();
  private final Set<String> read = new HashSet<>();
  private RuntimeException failure;
  private RuntimeException lost;

  synchronized void clear() {
    all.clear();
    unreadable.clear();
    refusals.clear();
    read.clear();
    failure = null;
    lost = null;
  }

  /** Lets reads of all of them fail until they are cleared. */
  public synchronized void fail(RuntimeException with) {
    failure = with;
  }

  /** Lets the next request for one fail that is not to fail already. */
  public synchronized void failNext(RuntimeException with) {
    refusals.add(with);
  }

  /** Whether all have failed that were to. */
  public synchronized boolean hasFailed() {
    return refusals.isEmpty();
  }

  /** Lets the next request for one fail though it is taken. */
  public synchronized void loseNextAnswer(RuntimeException with) {
    lost = with;
  }

  /** Whether somebody has looked at one. */
  public synchronized boolean isRead(String id) {
    return read.contains(id);
  }

  /** Until they are cleared. */
  public synchronized void cannotRead(String view) {
    unreadable.add(view);
  }

  public synchronized void put(ViewVerification verification) {
    all.removeIf(known -> known.key().equals(verification.key()));
    all.add(verification);
  }

  /** All of a view. */
  public synchronized void forget(String view) {
    all.removeIf(known -> known.view().equals(view));
  }

  @Override
  public synchronized ViewVerification request(String view, VerificationOptions options) {
    if (!refusals.isEmpty()) {
      throw refusals.remove();
    }
    if (unreadable.contains(view)) {
      throw new GenericTargetException("add it to connect.targets");
    }
    if (list(view).stream().anyMatch(known -> !known.status().isOver())) {
      throw new NotVerifiableException("a verification of view \"" + view + "\" is not over");
    }
    ViewVerification asked =
        new ViewVerification(view, "id-" + all.size(), Status.REQUESTED, options, 1_000, Run.NONE);
    put(asked);
    if (lost != null) {
      RuntimeException thrown = lost;
      lost = null;
      throw thrown;
    }
    return asked;
  }

  @Override
  public synchronized List<ViewVerification> all() {
    if (failure != null) {
      throw failure;
    }
    return List.copyOf(all);
  }

  @Override
  public synchronized List<ViewVerification> list(String view) {
    return all.stream().filter(known -> known.view().equals(view)).toList();
  }

  @Override
  public synchronized Optional<ViewVerification> get(String view, String id) {
    read.add(id);
    return list(view).stream().filter(known -> known.id().equals(id)).findFirst();
  }

  @Override
  public synchronized Optional<ViewVerification> cancel(String view, String id) {
    get(view, id).ifPresent(known -> put(known.with(Status.CANCELLED, known.run())));
    return get(view, id);
  }
}
