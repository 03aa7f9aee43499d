import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  XmlBufferInputProvider,
  XmlDocument,
  xmlRegisterInputProvider,
  XsdValidator,
} from 'libxml2-wasm';

const folder = fileURLToPath(new URL('../../../shared/schemas/uws/', import.meta.url));

/**
 * The official schemas are read from a folder beside the project; without it, their tests are
 * skipped by name.
 */
export const hasSchemas = existsSync(`${folder}VOSICapabilities-v1.0.xsd`);

/**
 * VOResource 1.1 and the used part of VODataService, after the tables of the standard, because the
 * schemas are not in the project. Orders, required elements and attributes are exact; simple types
 * are looser.
 */
const VORESOURCE = xsd(
  'http://www.ivoa.net/xml/VOResource/v1.0',
  '',
  `
  <xs:complexType name="Capability"><xs:sequence>
    <xs:element name="description" type="xs:token" minOccurs="0"/>
    <xs:element name="interface" type="vr:Interface" minOccurs="0" maxOccurs="unbounded"/>
  </xs:sequence><xs:attribute name="standardID" type="xs:anyURI"/></xs:complexType>
  <xs:complexType name="Interface" abstract="true"><xs:sequence>
    <xs:element name="accessURL" maxOccurs="unbounded">
      <xs:complexType><xs:simpleContent><xs:extension base="xs:anyURI">
        <xs:attribute name="use"><xs:simpleType><xs:restriction base="xs:NMTOKEN">
          <xs:enumeration value="full"/>
          <xs:enumeration value="base"/>
          <xs:enumeration value="dir"/>
        </xs:restriction></xs:simpleType></xs:attribute>
      </xs:extension></xs:simpleContent></xs:complexType>
    </xs:element>
    <xs:element name="securityMethod" minOccurs="0" maxOccurs="unbounded">
      <xs:complexType><xs:attribute name="standardID" type="xs:anyURI"/></xs:complexType>
    </xs:element>
  </xs:sequence>
  <xs:attribute name="version" type="xs:string"/>
  <xs:attribute name="role" type="xs:NMTOKEN"/></xs:complexType>
  <xs:complexType name="Resource"><xs:sequence>
    <xs:element name="title" type="xs:token"/>
    <xs:element name="shortName" minOccurs="0">
      <xs:simpleType><xs:restriction base="xs:token">
        <xs:maxLength value="16"/>
      </xs:restriction></xs:simpleType>
    </xs:element>
    <xs:element name="identifier" type="xs:anyURI"/>
    <xs:element name="curation"><xs:complexType><xs:sequence>
      <xs:element name="publisher" type="xs:token"/>
      <xs:element name="date" minOccurs="0" maxOccurs="unbounded">
        <xs:complexType><xs:simpleContent><xs:extension base="xs:date">
          <xs:attribute name="role" type="xs:string"/>
        </xs:extension></xs:simpleContent></xs:complexType>
      </xs:element>
      <xs:element name="contact" maxOccurs="unbounded"><xs:complexType><xs:sequence>
        <xs:element name="name" type="xs:token"/>
        <xs:element name="email" type="xs:token" minOccurs="0"/>
      </xs:sequence></xs:complexType></xs:element>
    </xs:sequence></xs:complexType></xs:element>
    <xs:element name="content"><xs:complexType><xs:sequence>
      <xs:element name="subject" type="xs:token" maxOccurs="unbounded"/>
      <xs:element name="description" type="xs:string"/>
      <xs:element name="referenceURL" type="xs:anyURI"/>
      <xs:element name="type" type="xs:token" minOccurs="0" maxOccurs="unbounded"/>
    </xs:sequence></xs:complexType></xs:element>
  </xs:sequence>
  <xs:attribute name="created" type="xs:dateTime" use="required"/>
  <xs:attribute name="updated" type="xs:dateTime" use="required"/>
  <xs:attribute name="status" type="xs:string" use="required"/>
  <xs:attribute name="version" type="xs:token"/></xs:complexType>
  <xs:complexType name="Service"><xs:complexContent><xs:extension base="vr:Resource"><xs:sequence>
    <xs:element name="capability" type="vr:Capability" minOccurs="0" maxOccurs="unbounded"/>
  </xs:sequence></xs:extension></xs:complexContent></xs:complexType>`,
);
const VODATASERVICE = xsd(
  'http://www.ivoa.net/xml/VODataService/v1.1',
  '<xs:import namespace="http://www.ivoa.net/xml/VOResource/v1.0" schemaLocation="VOResource.xsd"/>',
  '<xs:complexType name="ParamHTTP"><xs:complexContent><xs:extension ' +
    'base="vr:Interface"/></xs:complexContent></xs:complexType>',
);
const REGISTRY = xsd(
  'http://www.ivoa.net/xml/RegistryInterface/v1.0',
  '<xs:import namespace="http://www.ivoa.net/xml/VOResource/v1.0" schemaLocation="VOResource.xsd"/>',
  '<xs:element name="Resource" type="vr:Resource"/>',
);

/**
 * Checks documents of VOSI and of the registry.
 * @returns the faults; empty for a valid document
 */
export function openVosiSchema(): (xml: string) => string {
  const official = (name: string): string =>
    readFileSync(folder + name, 'utf8').replace(
      'schemaLocation="http://www.ivoa.net/xml/VOResource/v1.0"',
      'schemaLocation="VOResource.xsd"',
    );
  const texts = {
    'VOResource.xsd': VORESOURCE,
    'VODataService.xsd': VODATASERVICE,
    'Registry.xsd': REGISTRY,
    'VOSICapabilities.xsd': official('VOSICapabilities-v1.0.xsd'),
    'VOSIAvailability.xsd': official('VOSIAvailability-v1.0.xsd'),
  };
  xmlRegisterInputProvider(
    new XmlBufferInputProvider(
      Object.fromEntries(
        Object.entries(texts).map(([name, text]) => [name, new TextEncoder().encode(text)]),
      ),
    ),
  );
  const ivoa = 'http://www.ivoa.net/xml/';
  const schema = XmlDocument.fromString(
    together(
      [`${ivoa}VODataService/v1.1`, 'VODataService.xsd'],
      [`${ivoa}RegistryInterface/v1.0`, 'Registry.xsd'],
      [`${ivoa}VOSICapabilities/v1.0`, 'VOSICapabilities.xsd'],
      [`${ivoa}VOSIAvailability/v1.0`, 'VOSIAvailability.xsd'],
    ),
  );
  const validator = XsdValidator.fromDoc(schema);
  return (xml) => {
    const document = XmlDocument.fromString(xml);
    try {
      validator.validate(document);
      return '';
    } catch (error) {
      return error instanceof Error ? error.message || 'invalid' : String(error);
    } finally {
      document.dispose();
    }
  };
}

/** One of several schemas: an import without a target of its own. */
function together(...places: readonly (readonly [namespace: string, place: string])[]): string {
  const imports = places.map(
    ([namespace, place]) => `<xs:import namespace="${namespace}" schemaLocation="${place}"/>`,
  );
  return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${imports.join('')}</xs:schema>`;
}

function xsd(namespace: string, imports: string, body: string): string {
  return (
    `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="${namespace}" ` +
    'xmlns:vr="http://www.ivoa.net/xml/VOResource/v1.0" ' +
    `targetNamespace="${namespace}">${imports}${body}</xs:schema>`
  );
}
