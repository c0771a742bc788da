package io.indexview.server.verification;

import io.indexview.client.verify.live.VerificationAdmin;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.ViewVerification;
import java.util.List;
import java.util.Optional;

/**
 * The verifications of an installation. Safe for use by many threads; every method throws as its
 * namesake of {@link VerificationAdmin}.
 */
public interface VerificationCatalog {
  ViewVerification request(String view, VerificationOptions options);

  List<ViewVerification> all();

  List<ViewVerification> list(String view);

  Optional<ViewVerification> get(String view, String id);

  Optional<ViewVerification> cancel(String view, String id);

  /** The catalog that an administrator gives. */
  static VerificationCatalog of(VerificationAdmin admin) {
    return new VerificationCatalog() {
      @Override
      public ViewVerification request(String view, VerificationOptions options) {
        return admin.request(view, options);
      }

      @Override
      public List<ViewVerification> all() {
        return admin.all();
      }

      @Override
      public List<ViewVerification> list(String view) {
        return admin.list(view);
      }

      @Override
      public Optional<ViewVerification> get(String view, String id) {
        return admin.get(view, id);
      }

      @Override
      public Optional<ViewVerification> cancel(String view, String id) {
        return admin.cancel(view, id);
      }
    };
  }
}
