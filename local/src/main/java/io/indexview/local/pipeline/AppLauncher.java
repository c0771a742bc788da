package io.indexview.local.pipeline;

import io.indexview.streams.app.IndexViewApp;
import io.indexview.streams.config.AppConfig;
import java.time.Duration;
import java.util.Map;

/** Starts the streams app. */
public interface AppLauncher {
  /** Starts the app and returns when it runs, or throws. */
  AutoCloseable launch(Map<String, String> config) throws Exception;

  /** Launches the app in this process. */
  static AppLauncher inProcess() {
    return config -> {
      IndexViewApp app = IndexViewApp.start(AppConfig.parse(config));
      try {
        app.awaitRunning(Duration.ofMinutes(3));
        return app;
      } catch (InterruptedException | RuntimeException e) {
        app.close();
        throw e;
      }
    };
  }
}
