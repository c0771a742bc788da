package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvStoreException;
import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Asks the nodes of a shard, all at the same time, which of them is master. A node that hangs lets
 * who asks it wait for 10 s and more; nobody waits for it here. Safe for use by many threads.
 */
final class MasterSearch {
  /** The threads end by themselves. */
  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "indexview-master-search");
            thread.setDaemon(true);
            return thread;
          });

  private final Duration max;
  private final Set<Ask> open = ConcurrentHashMap.newKeySet();

  /** What a node says of itself. */
  record NodeStatus(boolean isMaster, Shards.Master asMaster) {}

  /** Answer of a node; at least one of both is null. */
  private record Answer(NodeStatus status, Throwable failure) {}

  /**
   * A question to a node, compared by identity: the same node may be asked several times at once.
   */
  private static final class Ask {
    private final String node;
    private final long beganAt = System.nanoTime();

    Ask(String node) {
      this.node = node;
    }
  }

  MasterSearch() {
    this(Duration.ofSeconds(5));
  }

  /**
   * @param max how long an answer may take
   */
  MasterSearch(Duration max) {
    this.max = max;
  }

  /**
   * Every answer that counts was asked for by this call.
   *
   * @param nodes how each is asked, by name
   * @return nothing: none of those who answer is
   * @throws KvStoreException.Unavailable if there is none, if none answers, with the last failure
   *     as its cause, or if the thread is interrupted
   */
  Optional<Shards.Master> among(String shard, Map<String, Callable<NodeStatus>> nodes) {
    if (nodes.isEmpty()) {
      throw new KvStoreException.Unavailable("no nodes of shard %s are known".formatted(shard));
    }
    BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    int awaited = 0;
    for (Map.Entry<String, Callable<NodeStatus>> node : nodes.entrySet()) {
      if (!hangs(node.getKey())) {
        ask(node.getKey(), node.getValue(), answers);
        awaited++;
      }
    }
    return first(shard, answers, awaited);
  }

  /**
   * Whether a node owes an answer for too long. It is asked again when it has answered, or failed
   * to.
   */
  private boolean hangs(String node) {
    return open.stream()
        .filter(ask -> ask.node.equals(node))
        .anyMatch(ask -> System.nanoTime() - ask.beganAt >= max.toNanos());
  }

  private void ask(String node, Callable<NodeStatus> status, BlockingQueue<Answer> answers) {
    Ask ask = new Ask(node);
    open.add(ask);
    boolean begun = false;
    try {
      THREADS.execute(
          () -> {
            Answer answer = new Answer(null, null);
            try {
              answer = new Answer(status.call(), null);
            } catch (InvocationTargetException e) {
              answer = new Answer(null, e.getCause());
            } catch (Exception | LinkageError e) {
              answer = new Answer(null, e);
            } finally {
              open.remove(ask);
              answers.add(answer);
            }
          });
      begun = true;
    } finally {
      if (!begun) {
        open.remove(ask);
      }
    }
  }

  private Optional<Shards.Master> first(String shard, BlockingQueue<Answer> answers, int asked) {
    NodeStatus found = null;
    boolean isAnswered = false;
    Throwable failure = null;
    try {
      long deadline = System.nanoTime() + max.toNanos();
      for (int left = asked; left > 0; left--) {
        Answer answer = answers.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (answer == null) {
          break;
        }
        NodeStatus status = answer.status();
        isAnswered |= status != null;
        failure = answer.failure() == null ? failure : answer.failure();
        if (status != null && status.isMaster()) {
          if (status.asMaster().isAuthoritative()) {
            return Optional.of(status.asMaster());
          }
          found = found == null ? status : found;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KvStoreException.Unavailable("Asking for a master was interrupted.", e);
    }
    if (!isAnswered && failure == null) {
      throw new KvStoreException.Unavailable(
          "the nodes of shard %s hang: none answers within %s".formatted(shard, max));
    }
    if (!isAnswered) {
      throw new KvStoreException.Unavailable(
          ("none of the nodes of shard %s answers (%s). If they are up: does kvstore.jar lack a jar"
                  + " that is beside it in the server's lib directory, as gson-*.jar?")
              .formatted(shard, failure),
          failure);
    }
    return Optional.ofNullable(found).map(NodeStatus::asMaster);
  }
}
