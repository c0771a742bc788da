package io.indexview.schemas.registry;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;

/** The certificates to trust; a null location stands for those of the JVM. */
record TrustStore(String location, Password password, String type) {
  static final String PEM = "PEM";

  SSLContext sslContext() {
    try {
      if (location == null) {
        return SSLContext.getDefault();
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(load());
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      ConfigException problem =
          new ConfigException(
              "%s %s cannot be read as %s (%s): check the file, %s and %s"
                  .formatted(
                      RegistryConfig.TRUSTSTORE_LOCATION_CONFIG,
                      location,
                      type,
                      e.getMessage(),
                      RegistryConfig.TRUSTSTORE_TYPE_CONFIG,
                      RegistryConfig.TRUSTSTORE_PASSWORD_CONFIG));
      problem.initCause(e);
      throw problem;
    }
  }

  private KeyStore load() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(type.equals(PEM) ? KeyStore.getDefaultType() : type);
    try (InputStream in = Files.newInputStream(Path.of(location))) {
      if (!type.equals(PEM)) {
        store.load(in, password == null ? null : password.value().toCharArray());
        return store;
      }
      store.load(null, null);
      Collection<? extends Certificate> certificates =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (certificates.isEmpty()) {
        throw new IOException("no certificate in it");
      }
      int number = 0;
      for (Certificate certificate : certificates) {
        store.setCertificateEntry("certificate-" + number++, certificate);
      }
    }
    return store;
  }
}
