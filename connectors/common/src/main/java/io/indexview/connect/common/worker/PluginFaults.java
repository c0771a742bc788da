package io.indexview.connect.common.worker;

import java.util.ServiceConfigurationError;
import java.util.function.Supplier;
import org.apache.kafka.common.utils.AppInfoParser;
import org.apache.kafka.connect.errors.ConnectException;

/**
 * Says what helps where the JVM gives up: classes and methods that a worker of another release does
 * not have, or that are missing beside the plugin, show up only when they are used, and then with a
 * bare name.
 */
public final class PluginFaults {
  private PluginFaults() {}

  /**
   * Gives what the question is answered with.
   *
   * @throws ConnectException instead of an error, saying what helps
   */
  public static <T> T explained(Supplier<T> question) {
    try {
      return question.get();
    } catch (LinkageError | ServiceConfigurationError | VirtualMachineError e) {
      throw new ConnectException(explain(e), e);
    }
  }

  /**
   * Does what a worker asks for without an answer.
   *
   * @throws ConnectException instead of an error, saying what helps
   */
  public static void explaining(Runnable request) {
    explained(
        () -> {
          request.run();
          return request;
        });
  }

  /** Throws the error that a failure was caused by, if any: a client's future may hide it. */
  public static void throwErrorBehind(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof Error error) {
        throw error;
      }
    }
  }

  /** What has happened, and what helps. */
  public static String explain(Error error) {
    if (error instanceof LinkageError || error instanceof ServiceConfigurationError) {
      return "the plugin and this worker do not fit, or a library is missing from the plugin's"
          + " directory (%s): the worker's Kafka is %s, the plugin %s runs on Kafka Connect from %s on and was tried up to %s; unpack its archive into a directory of its own, and add only what the guide names"
              .formatted(
                  error,
                  AppInfoParser.getVersion(),
                  PluginVersion.get(),
                  PluginVersion.oldestWorker(),
                  PluginVersion.newestWorker());
    }
    return "the worker's JVM fails, see its log: " + error;
  }
}
