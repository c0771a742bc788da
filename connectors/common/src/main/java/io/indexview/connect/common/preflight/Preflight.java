package io.indexview.connect.common.preflight;

import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.indexview.connect.common.config.ConfigFragment;
import io.indexview.connect.common.config.ConfigGroup;
import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.worker.PluginFaults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.connect.errors.ConnectException;

/**
 * Asks the systems that a connector needs before it is deployed, all at once, and never waits for
 * longer than its timeout: what does not answer goes on in a thread of its own, unheard.
 */
public final class Preflight {
  private final Duration timeout;
  private final List<Question> questions = new ArrayList<>();

  /**
   * Asks one system.
   *
   * <p>{@link #ask} adds what is wrong there; what it throws is wrong with the whole system.
   */
  @FunctionalInterface
  public interface Asking {
    void ask(ConfigProblems problems) throws Exception;
  }

  /**
   * @param key to blame if the system does not answer
   * @param asked who is asked, with the address
   */
  private record Question(String key, String asked, Asking asking) {}

  public Preflight(Duration timeout) {
    this.timeout = timeout;
  }

  /**
   * Adds a question.
   *
   * @param key of the configuration to blame if the system does not answer
   * @param asked who is asked, with the address: {@code bucket documents}
   */
  public Preflight with(String key, String asked, Asking asking) {
    questions.add(new Question(key, asked, asking));
    return this;
  }

  /** Asks every question; returns what is wrong. */
  public ConfigProblems ask() {
    ExecutorService threads = Executors.newCachedThreadPool(Preflight::thread);
    try {
      List<Callable<ConfigProblems>> calls = new ArrayList<>();
      questions.forEach(question -> calls.add(() -> answer(question)));
      return gathered(threads.invokeAll(calls, timeout.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConnectException("interrupted while the configuration was tried out", e);
    } finally {
      threads.shutdownNow();
    }
  }

  private static Thread thread(Runnable asking) {
    Thread thread = new Thread(asking, "indexview-preflight");
    thread.setDaemon(true);
    return thread;
  }

  private static ConfigProblems answer(Question question) throws Exception {
    ConfigProblems problems = new ConfigProblems();
    question.asking().ask(problems);
    return problems;
  }

  private ConfigProblems gathered(List<Future<ConfigProblems>> answers)
      throws InterruptedException {
    ConfigProblems problems = new ConfigProblems();
    for (int i = 0; i < answers.size(); i++) {
      Question question = questions.get(i);
      try {
        problems.addAll(answers.get(i).get());
      } catch (CancellationException e) {
        problems.add(
            question.key(),
            "no answer within %d ms (%s): %s"
                .formatted(timeout.toMillis(), PreflightFragment.TIMEOUT_CONFIG, question.asked()));
      } catch (ExecutionException e) {
        problems.add(question.key(), message(question, e.getCause()));
      }
    }
    return problems;
  }

  private static String message(Question question, Throwable cause) {
    if (cause instanceof Error error) {
      return "%s: %s".formatted(question.asked(), PluginFaults.explain(error));
    }
    return cause.getMessage() == null
        ? "%s: %s".formatted(question.asked(), cause)
        : cause.getMessage();
  }

  /** Whether a configuration is tried out when it is submitted. */
  public static final class PreflightFragment extends ConfigFragment {
    public static final String GROUP = "Preflight";

    public static final String TIMEOUT_CONFIG = "preflight.timeout.ms";
    private static final long TIMEOUT_DEFAULT = 10_000;

    /** Connect gives up a request to validate after 90 s. */
    private static final long TIMEOUT_MAX = 60_000;

    private static final String TIMEOUT_DISPLAY = "Preflight timeout (ms)";
    private static final String TIMEOUT_DOC =
        """
        How long the systems that the connector needs may take to answer when its configuration is \
        submitted; what does not answer is an error of its key. 0: they are not asked, so that a \
        connector can be deployed before they are there.""";

    public PreflightFragment(AbstractConfig config) {
      super(config);
    }

    public static void update(ConfigDef definition) {
      ConfigGroup.in(definition, GROUP)
          .tuning(
              TIMEOUT_CONFIG,
              Type.LONG,
              TIMEOUT_DEFAULT,
              between(0, TIMEOUT_MAX),
              TIMEOUT_DISPLAY,
              TIMEOUT_DOC);
    }

    public boolean isWanted() {
      return !timeout().isZero();
    }

    public Duration timeout() {
      return millis(TIMEOUT_CONFIG);
    }
  }
}
